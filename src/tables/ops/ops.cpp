#include "tables/ops/ops.h"

#include <fmt/format.h>

#include "base/parallel.h"
#include "tables/code/line_cells.h"
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

// Chains from the line that an op belongs to through the ops around it to itself; 0 is the empty
// chain.
class OpStacks {
 public:
  OpStacks(const Run& run, const LineIds& lines) : run_(run), lines_(lines) {}

  std::vector<std::uint32_t> of_track(const SpanColumns& spans, const TrackOps& ops) {
    std::vector<std::uint32_t> stacks(ops.size());
    ops.tree.outside_in([&](std::uint32_t row) {
      if (!is_in_op_tree(spans.kind[row])) return;
      const std::uint32_t parent = ops.tree.parent[row];
      stacks[row] =
          add(parent == kNoRow ? bottom(lines_[ops.place[row]]) : stacks[parent], spans.name[row]);
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

template <OpGrouping grouping>
class OpTable {
 public:
  explicit OpTable(const Analysis& analysis)
      : run_(analysis.run()), lines_(analysis.lines()), stacks_(run_, lines_) {
    // What tables share is made here if nobody did before; these two on different cores.
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
    for (const OpSums& sums : sums_.all()) table.rows.push_back(make_row(sums, self_of_all));
  }

 private:
  // In parts, so that all cores have some.
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

  Cell text_cell(std::uint32_t string) const {
    return string == 0 ? kUnknown : Cell(std::string(run_.strings[string]));
  }

  Row make_row(const OpSums& sums, double self_of_all) const {
    const std::string_view name = run_.strings[sums.name];
    const std::uint32_t line = sums.line.id();
    return {name.empty() ? "(unnamed)" : std::string(name),
            grouping == OpGrouping::shape ? text_cell(sums.group) : kUnknown,
            integer_cell(sums.calls),
            integer_cell(sums.self_ns),
            integer_cell(sums.cpu_ns),
            knows_gpu_ ? integer_cell(sums.self_gpu_ns) : kUnknown,
            knows_gpu_ ? integer_cell(sums.gpu_ns) : kUnknown,
            knows_bytes_ ? Cell(sums.self_bytes) : kUnknown,
            sums.knows_flops ? integer_cell(sums.flops) : kUnknown,
            file_cell(lines_, line),
            line_cell(lines_, line),
            text_cell(sums.module.id()),
            ratio_cell(static_cast<double>(sums.cpu_ns), static_cast<double>(sums.calls)),
            ratio_cell(static_cast<double>(sums.self_ns), self_of_all),
            grouping == OpGrouping::stack ? Cell(stacks_.text(sums.group)) : kUnknown};
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
  Table table{"ops",
              "Ops" + from_recorded(analysis.run(), analysis.steps()),
              {{"name", ColumnType::text},
               {"shapes", ColumnType::text},
               {"calls", ColumnType::integer, Unit::count},
               {"self_cpu_ns", ColumnType::integer, Unit::ns},
               {"cpu_ns", ColumnType::integer, Unit::ns},
               {"self_gpu_ns", ColumnType::integer, Unit::ns},
               {"gpu_ns", ColumnType::integer, Unit::ns},
               {"self_bytes", ColumnType::integer, Unit::bytes},
               {"flops", ColumnType::integer, Unit::count},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"module", ColumnType::text},
               {"mean_ns", ColumnType::real, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"stack", ColumnType::text}},
              {}};
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

}  // namespace laptime
