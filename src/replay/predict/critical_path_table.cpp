#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "replay/graph/task_graph.h"
#include "replay/predict/critical_path.h"
#include "tables/code/line_columns.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"

namespace laptime::replay {

namespace {

constexpr double kSlow = 0.95;

struct PathRow {
  const GraphSource& source;
  const LineIds& lines;
  const char* which;
  const Step& step;
  const PathPart& part;
};

constexpr ColumnOf<PathRow> kPathColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.source.run.strings[r.step.phase]; }},
    {"which", "`median`, or `slow`: the 95th percentile.", [](auto& r) { return r.which; }},
    {"step", "The step's number.", [](auto& r) { return r.step.number; }},
    {"thread", "The thread or GPU stream.",
     [](auto& r) { return thread_label(r.source.run, r.source.run.tracks[r.part.track]); }},
    {"name", "The outermost op, the wait, the kernel, `python` or `launch latency`.",
     [](auto& r) { return std::string(r.part.name); }},
    {"file", "The line's file.",
     [](auto& r) { return file_at(r.lines, r.lines[r.part.call_site]); }},
    {"line", "The line that it belongs to.",
     [](auto& r) { return line_at(r.lines, r.lines[r.part.call_site]); }},
    {"ns", Unit::ns, "How long it took.", [](auto& r) { return r.part.ns; }},
    {"share", Unit::share, "The same, of the step.",
     [](auto& r) { return ratio(r.part.ns, r.step.wall_ns); }}};
constexpr TableOf<PathRow> kCriticalPath{"critical_path", kPathColumns};

void add_rows(const GraphSource& source, const char* which, const HostStep& step, Table& table) {
  const LineIds& lines = source.analysis.lines();
  const TaskGraph graph = build_task_graph(source, {&step, 1});
  for (const PathPart& part : critical_path(source, graph, replay(graph, recorded_times(graph)), 0))
    kCriticalPath.add(table, {source, lines, which, step.step, part});
}

}  // namespace

Table critical_path_table(const Analysis& analysis) {
  Table table = kCriticalPath.empty("What a step consists of, one after the other");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const HostStep*>>
      phases;  // track, phase
  for (const HostStep& step : analysis.host_steps())
    if (step.step.counts && step.step.ops != StepOps::rested)
      phases[{step.step.track, step.step.phase}].push_back(&step);
  if (phases.empty()) return table;
  const GraphSource source(analysis);
  for (auto& [key, phase_steps] : phases) {
    std::stable_sort(
        phase_steps.begin(), phase_steps.end(),
        [](const HostStep* a, const HostStep* b) { return a->step.wall_ns < b->step.wall_ns; });
    const std::size_t median = percentile_index(phase_steps.size(), 0.5),
                      slow = percentile_index(phase_steps.size(), kSlow);
    add_rows(source, "median", *phase_steps[median], table);
    if (slow != median) add_rows(source, "slow", *phase_steps[slow], table);
  }
  return table;
}

constinit const TableDefinition kCriticalPathTable =
    define_table<kCriticalPath>("what a median step and a slow one consist of, one after the other",
                                R"(
This is the chain of things that the wall time of a recorded step consists of, in their order.
The end of each begins the next. Making anything faster that is not on it changes nothing.
`python` is the program's own code.)",
                                critical_path_table);

}  // namespace laptime::replay
