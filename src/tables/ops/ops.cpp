#include "tables/ops/ops.h"

#include <fmt/format.h>

#include "base/parallel.h"
#include "tables/code/line_columns.h"
#include "tables/ops/op_sums.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/gpu_work.h"
#include "trace/memory/op_memory.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

constexpr std::uint32_t kRowsAPart = 1u << 18;

// Chains of an op: its line, then the ops around it, then itself. 0 is the empty chain.
class OpStacks {
 public:
  OpStacks(const Run& run, const LineIds& lines) : run_(run), lines_(lines) {}

  std::vector<std::uint32_t> of_track(const SpanColumns& spans, const TrackOps& ops) {
    std::vector<std::uint32_t> stacks(ops.size());
    ops.tree.outside_in([&](std::uint32_t row) {
      if (!is_in_op_tree(spans.kind[row])) return;
      const std::uint32_t parent = ops.tree.parent[row];
      stacks[row] = add(parent == kNoRow ? bottom(lines_[ops.call_site[row]]) : stacks[parent],
                        spans.name[row]);
    });
    return stacks;
  }
  std::string text(std::uint32_t stack) const {
    std::vector<std::uint32_t> chain;
    for (; stack != 0; stack = links_[stack].outer) chain.push_back(stack);
    std::string text;
    for (; !chain.empty(); chain.pop_back()) {
      const Link& link = links_[chain.back()];
      if (!text.empty()) text += " > ";
      text += link.is_line
                  ? fmt::format("{}:{}", run_.strings[run_.codes[lines_.code(link.id)].file],
                                lines_.line(link.id))
                  : std::string(run_.strings[link.id]);
    }
    return text;
  }

 private:
  struct Link {
    std::uint32_t outer, id;
    bool is_line;
  };
  std::uint32_t bottom(std::uint32_t line) {
    if (line == 0) return 0;
    std::uint32_t& stack = bottoms_[line];
    return stack != 0 ? stack : stack = new_link({0, line, true});
  }
  std::uint32_t add(std::uint32_t outer, std::uint32_t name) {
    std::uint32_t& stack = ids_[(static_cast<std::uint64_t>(outer) << 32 | name) + 1];
    return stack != 0 ? stack : stack = new_link({outer, name, false});
  }
  std::uint32_t new_link(const Link& link) {
    links_.push_back(link);
    return static_cast<std::uint32_t>(links_.size() - 1);
  }

  const Run& run_;
  const LineIds& lines_;
  std::vector<Link> links_{{0, 0, false}};
  FlatMap<std::uint32_t> ids_, bottoms_;
};

struct OpRow {
  const Run& run;
  const LineIds& lines;
  const OpStacks& stacks;
  OpGrouping grouping;
  bool knows_bytes, knows_gpu;
  const OpSums& sums;
  double self_of_all;  // ns
};

constexpr ColumnOf<OpRow> kOpColumns[] = {
    {"name", "The op, backward span, annotation or optimizer.",
     [](auto& r) {
       const std::string_view name = r.run.strings[r.sums.name];
       return name.empty() ? std::string_view("(unnamed)") : name;
     }},
    {"shapes", "The shapes of its inputs, with `--by shape`.",
     [](auto& r) { return string_at(r.run, r.grouping == OpGrouping::shape ? r.sums.group : 0); }},
    {"calls", Unit::count, "How many calls.", [](auto& r) { return r.sums.calls; }},
    {"self_cpu_ns", Unit::ns, "How long they took without the ops inside.",
     [](auto& r) { return r.sums.self_ns; }},
    {"cpu_ns", Unit::ns, "How long they took; calls within calls count, too.",
     [](auto& r) { return r.sums.cpu_ns; }},
    {"self_gpu_ns", Unit::ns, "What GPUs did for launches that no op inside made.",
     [](auto& r) { return known_if(r.knows_gpu, r.sums.self_gpu_ns); }},
    {"gpu_ns", Unit::ns, "What GPUs did for launches made within the calls.",
     [](auto& r) { return known_if(r.knows_gpu, r.sums.gpu_ns); }},
    {"self_bytes", Unit::bytes, "Memory allocated less memory released, without the ops inside.",
     [](auto& r) { return known_if(r.knows_bytes, r.sums.self_bytes); }},
    {"flops", Unit::count, "Floating-point operations, as the framework counts them.",
     [](auto& r) { return known_if(r.sums.knows_flops, r.sums.flops); }},
    {"file", "The file of the line that called it, if all the row's calls have the same line.",
     [](auto& r) { return file_at(r.lines, r.sums.line.id()); }},
    {"line", "That line; of backward ops it is the forward op's.",
     [](auto& r) { return line_at(r.lines, r.sums.line.id()); }},
    {"module", "The module, if all the row's calls have the same.",
     [](auto& r) { return string_at(r.run, r.sums.module.id()); }},
    {"mean_ns", Unit::ns, "How long a call takes: `cpu_ns` by `calls`.",
     [](auto& r) { return ratio(r.sums.cpu_ns, r.sums.calls); }},
    {"share", Unit::share, "`self_cpu_ns` against that of all rows.",
     [](auto& r) { return ratio(r.sums.self_ns, r.self_of_all); }},
    {"stack", "The line and the ops around it, with `--by stack`.", [](auto& r) {
       return r.grouping == OpGrouping::stack ? std::optional(r.stacks.text(r.sums.group))
                                              : std::nullopt;
     }}};
constexpr TableOf<OpRow> kOps{"ops", kOpColumns};

constexpr Grouping kOpGroupings[] = {{"name", ops_table<OpGrouping::name>},
                                     {"shape", ops_table<OpGrouping::shape>},
                                     {"line", ops_table<OpGrouping::line>},
                                     {"module", ops_table<OpGrouping::module>},
                                     {"stack", ops_table<OpGrouping::stack>}};

template <OpGrouping grouping>
class OpTable {
 public:
  explicit OpTable(const Analysis& analysis)
      : run_(analysis.run()), lines_(analysis.lines()), stacks_(run_, lines_) {
    // Computes shared facts that are not computed yet; these two on different cores.
    parallel_for(2,
                 [&](std::size_t i) { i == 0 ? (void)analysis.ops() : (void)analysis.memory(); });
    const OpAttribution& attribution = analysis.ops();
    const auto bytes = op_self_bytes(attribution, analysis.memory());
    const std::vector<OpGpuTimes> gpu_times = sum_op_gpu_times(run_, attribution, analysis.gpu());
    knows_gpu_ = !analysis.gpu().all().empty();
    std::vector<TrackColumns> tracks;
    for (std::size_t t = 0; t < run_.tracks.size(); ++t) {
      knows_bytes_ |= !bytes[t].empty();
      tracks.push_back({run_.tracks[t].spans, attribution.tracks[t], bytes[t], gpu_times[t], {}});
      if constexpr (grouping == OpGrouping::stack)
        tracks.back().stacks = stacks_.of_track(tracks.back().spans, tracks.back().ops);
    }
    sum(tracks);
  }

  void fill(Table& table) const {
    double self_of_all = 0;
    for (const OpSums& sums : sums_.all()) self_of_all += static_cast<double>(sums.self_ns);
    table.rows.reserve(sums_.all().size());
    for (const OpSums& sums : sums_.all())
      kOps.add(table,
               {run_, lines_, stacks_, grouping, knows_bytes_, knows_gpu_, sums, self_of_all});
  }

 private:
  // In parts, so that all cores have work.
  void sum(const std::vector<TrackColumns>& tracks) {
    struct Part {
      const TrackColumns* track;
      std::uint32_t first, last;
      GroupSums<grouping> sums;
    };
    std::vector<Part> parts;
    for (const TrackColumns& track : tracks) {
      const auto rows = static_cast<std::uint32_t>(track.ops.size());
      for (std::uint32_t first = 0; first < rows; first += std::min(kRowsAPart, rows - first))
        parts.push_back({&track, first, first + std::min(kRowsAPart, rows - first), {}});
    }
    parallel_for(parts.size(), [&](std::size_t i) {
      parts[i].sums.add(run_, lines_, *parts[i].track, parts[i].first, parts[i].last);
    });
    for (const Part& part : parts) sums_.add(part.sums);
  }

  const Run& run_;
  const LineIds& lines_;
  OpStacks stacks_;
  GroupSums<grouping> sums_;
  bool knows_bytes_ = false;  // memory was recorded
  bool knows_gpu_ = false;    // a GPU's work was
};

}  // namespace

template <OpGrouping grouping>
Table ops_table(const Analysis& analysis) {
  Table table = kOps.empty("Ops" + from_recorded(analysis.run(), analysis.steps()));
  OpTable<grouping>(analysis).fill(table);
  (void)sort_by(table, "name");
  (void)sort_by(table, "self_cpu_ns");
  return table;
}

template Table ops_table<OpGrouping::name>(const Analysis&);
template Table ops_table<OpGrouping::shape>(const Analysis&);
template Table ops_table<OpGrouping::line>(const Analysis&);
template Table ops_table<OpGrouping::module>(const Analysis&);
template Table ops_table<OpGrouping::stack>(const Analysis&);

constinit const TableDefinition kOpsTable =
    define_table<kOps>("calls and time of the framework's ops",
                       R"(
It corresponds to torch's `key_averages()`: one row a name. Backward spans, annotations and
optimizer steps are rows, too. Ops of TensorFlow and JAX are named by their type, on whichever
thread they ran. The call of a compiled function is no row: only its ops are.

`--by` makes more rows: `shape` (recorded with `--shapes`), `line`, `module`, `stack`. GPU times are unknown
if no GPU was recorded. `--sort` also takes `gpu`, `self_gpu` and torch's keys: `cpu_time_total`,
`self_cuda_time_total`, `count` ….)",
                       ops_table<OpGrouping::name>, kOpGroupings);

}  // namespace laptime
