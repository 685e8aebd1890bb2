#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "replay/graph/task_graph.h"
#include "replay/predict/critical_path.h"
#include "tables/code/line_cells.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"

namespace laptime::replay {

namespace {

constexpr double kSlow = 0.95;

void add_rows(const GraphSource& source, const char* which, const HostStep& step, Table& table) {
  const LineIds& lines = source.analysis.lines();
  const TaskGraph graph = build_task_graph(source, {&step, 1});
  for (const PathPart& part :
       critical_path(source, graph, replay(graph, recorded_times(graph)), 0)) {
    const std::uint32_t line = lines[part.place];
    table.rows.push_back(
        {std::string(source.run.strings[step.step.phase]), which, integer_cell(step.step.number),
         thread_label(source.run, source.run.tracks[part.track]), part.name, file_cell(lines, line),
         line_cell(lines, line), part.ns,
         ratio_cell(static_cast<double>(part.ns), static_cast<double>(step.step.wall_ns))});
  }
}

}  // namespace

Table critical_path_table(const Analysis& analysis) {
  Table table{"critical_path",
              "What a step consists of, one after the other",
              {{"phase", ColumnType::text},
               {"which", ColumnType::text},
               {"step", ColumnType::integer},
               {"thread", ColumnType::text},
               {"name", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"ns", ColumnType::integer, Unit::ns},
               {"share", ColumnType::real, Unit::share}},
              {}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const HostStep*>>
      phases;  // track, phase
  for (const HostStep& step : analysis.host_steps())
    if (step.step.counts && step.step.ops != StepOps::rested)
      phases[{step.step.track, step.step.phase}].push_back(&step);
  if (phases.empty()) return table;
  const GraphSource source(analysis);
  for (auto& [key, laps] : phases) {
    std::stable_sort(laps.begin(), laps.end(), [](const HostStep* a, const HostStep* b) {
      return a->step.wall_ns < b->step.wall_ns;
    });
    const std::size_t median = percentile_index(laps.size(), 0.5),
                      slow = percentile_index(laps.size(), kSlow);
    add_rows(source, "median", *laps[median], table);
    if (slow != median) add_rows(source, "slow", *laps[slow], table);
  }
  return table;
}

}  // namespace laptime::replay
