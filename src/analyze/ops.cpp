#include "analyze/ops.h"

#include <fmt/format.h>

#include "analyze/attribution.h"
#include "analyze/common_id.h"
#include "analyze/gpu_work.h"
#include "analyze/line_ids.h"
#include "analyze/op_gpu_times.h"
#include "analyze/op_memory.h"
#include "analyze/steps.h"
#include "base/flat_map.h"

namespace laptime {

namespace {

struct OpSums {
  std::uint32_t name = 0, group = 0;  // group: the shapes, the line …, as the grouping says
  std::uint64_t calls = 0, cpu_ns = 0, self_ns = 0, gpu_ns = 0, self_gpu_ns = 0, flops = 0;
  std::int64_t self_bytes = 0;
  bool knows_flops = false;
  CommonId line, module;
};

// The arguments that rows of this table want, for rows that rise.
class OpArgs {
 public:
  OpArgs(const Run& run, const ArgColumns& args) : args_(args), shapes_key_(run.strings.find("shapes")), flops_key_(run.strings.find("flops")) {}

  struct Found {
    std::uint32_t shapes = 0;
    bool knows_flops = false;
    std::uint64_t flops = 0;
  };
  Found at(std::uint32_t row) {
    Found found;
    while (next_ < args_.size() && args_.row[next_] < row) ++next_;
    for (; next_ < args_.size() && args_.row[next_] == row; ++next_) {
      if (args_.key[next_] == shapes_key_ && args_.type[next_] == ArgType::string) found.shapes = static_cast<std::uint32_t>(args_.value[next_]);
      if (args_.key[next_] == flops_key_ && args_.type[next_] == ArgType::integer) {
        found.flops = args_.value[next_];
        found.knows_flops = true;
      }
    }
    return found;
  }

 private:
  const ArgColumns& args_;
  std::uint32_t shapes_key_, flops_key_;
  std::size_t next_ = 0;
};

// Chains from the line that an op belongs to through the ops around it to itself; 0 is the empty chain.
class OpStacks {
 public:
  OpStacks(const Run& run, const LineIds& lines) : run_(run), lines_(lines) {}

  std::vector<std::uint32_t> of_track(const SpanColumns& spans, const TrackOps& ops) {
    std::vector<std::uint32_t> stacks(ops.size());
    ops.tree.outside_in([&](std::uint32_t row) {
      if (!is_in_op_tree(spans.kind[row])) return;
      const std::uint32_t parent = ops.tree.parent[row];
      stacks[row] = add(parent == kNoRow ? bottom(lines_[ops.place[row]]) : stacks[parent], spans.name[row]);
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
      text += link.is_line ? fmt::format("{}:{}", run_.strings[run_.codes[lines_.code(link.id)].file], lines_.line(link.id)) : std::string(run_.strings[link.id]);
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
  explicit OpTable(const Analysis& analysis) : run_(analysis.run()), lines_(analysis.lines()), stacks_(run_, lines_) {
    const Run& run = run_;
    const OpAttribution& attribution = analysis.ops();
    const auto bytes = op_self_bytes(attribution, analysis.memory());
    const GpuWorkload& gpu = analysis.gpu();
    const std::vector<OpGpuTimes> gpu_times = sum_op_gpu_times(run, attribution, gpu);
    knows_gpu_ = !gpu.all().empty();
    for (std::size_t t = 0; t < run.tracks.size(); ++t) {
      knows_bytes_ |= !bytes[t].empty();
      add(run.tracks[t].spans, attribution.tracks[t], bytes[t], gpu_times[t]);
    }
  }

  void fill(Table& table) const {
    double self_of_all = 0;
    for (const OpSums& sums : sums_) self_of_all += static_cast<double>(sums.self_ns);
    for (const OpSums& sums : sums_) table.rows.push_back(make_row(sums, self_of_all));
  }

 private:
  void add(const SpanColumns& spans, const TrackOps& ops, const BulkVector<std::int64_t>& bytes, const OpGpuTimes& gpu) {
    std::vector<std::uint32_t> stacks;
    if constexpr (grouping == OpGrouping::stack) stacks = stacks_.of_track(spans, ops);
    OpArgs args(run_, spans.args);
    for (std::uint32_t row = 0; row < ops.size(); ++row) {
      if (ops.pass[row] == OpPass::none) continue;
      const std::uint32_t place = ops.place[row], line = lines_[place], module = run_.places[place].module;
      const OpArgs::Found found = args.at(row);
      OpSums& sums = sums_of(spans.name[row], grouping == OpGrouping::shape    ? found.shapes
                                              : grouping == OpGrouping::line   ? line
                                              : grouping == OpGrouping::module ? module
                                              : grouping == OpGrouping::stack  ? stacks[row]
                                                                               : 0);
      ++sums.calls;
      sums.cpu_ns += static_cast<std::uint64_t>(spans.duration[row]);
      sums.self_ns += static_cast<std::uint64_t>(ops.tree.self_ns[row]);
      if (!gpu.empty()) sums.self_gpu_ns += gpu.self_ns[row], sums.gpu_ns += gpu.ns[row];
      if (!bytes.empty()) sums.self_bytes += bytes[row];
      sums.flops += found.flops;
      sums.knows_flops |= found.knows_flops;
      sums.line.add(line);
      sums.module.add(module);
    }
  }

  OpSums& sums_of(std::uint32_t name, std::uint32_t group) {
    std::uint32_t& place = places_[(static_cast<std::uint64_t>(name) << 32 | group) + 1];
    if (place == 0) {
      sums_.emplace_back().name = name;
      sums_.back().group = group;
      place = static_cast<std::uint32_t>(sums_.size());
    }
    return sums_[place - 1];
  }

  Cell text_cell(std::uint32_t string) const { return string == 0 ? kUnknown : Cell(std::string(run_.strings[string])); }

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
            lines_.file_cell(line),
            lines_.line_cell(line),
            text_cell(sums.module.id()),
            ratio_cell(static_cast<double>(sums.cpu_ns), static_cast<double>(sums.calls)),
            ratio_cell(static_cast<double>(sums.self_ns), self_of_all),
            grouping == OpGrouping::stack ? Cell(stacks_.text(sums.group)) : kUnknown};
  }

  const Run& run_;
  const LineIds& lines_;
  OpStacks stacks_;
  FlatMap<std::uint32_t> places_;  // name and group → row of sums_, from 1
  std::vector<OpSums> sums_;
  bool knows_bytes_ = false;  // memory was recorded
  bool knows_gpu_ = false;    // a GPU's work was
};

}  // namespace

template <OpGrouping grouping>
Table ops_table(const Analysis& analysis) {
  Table table{"ops",
              "Ops" + from_recorded_steps(analysis.steps()),
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
