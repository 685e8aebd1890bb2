#include "replay/graph/graph_parts.h"

#include <algorithm>

#include "trace/run/intervals.h"

namespace laptime::replay {

namespace {

// The first of the stepping thread's tasks that ends after the moment. kNone: none.
std::uint32_t task_at(const TaskGraph& graph, std::uint32_t main_count, std::int64_t time) {
  const auto begin = graph.tasks.begin(), end = begin + main_count;
  const auto it = std::upper_bound(begin, end, time,
                                   [](std::int64_t t, const Task& task) { return t < task.end; });
  return it == end ? kNone : static_cast<std::uint32_t>(it - begin);
}

// Whether the stepping thread is blocked until the wait's end. Its tasks meanwhile become
// communication.
bool mark_waiting(TaskGraph& graph, std::uint32_t main_count, const CollectiveWait& wait) {
  bool at_end = false;
  for (std::uint32_t i = task_at(graph, main_count, wait.start);
       i < main_count && graph.tasks[i].start < wait.end; ++i) {
    Task& task = graph.tasks[i];
    at_end = task.end == wait.end &&
             (task.category == HostCategory::rest || task.category == HostCategory::communication);
    if (task.category == HostCategory::rest) task.category = HostCategory::communication;
  }
  return at_end;
}

Task collective_task(const GraphSource& source, const TaskGraph& graph, std::uint32_t main_count,
                     const CollectiveWait& wait) {
  const SpanColumns& spans = source.run.tracks[wait.track].spans;
  Task task;
  task.track = wait.track;
  task.category = HostCategory::communication;
  task.start = spans.start[wait.row], task.end = wait.end, task.own = task.end - task.start;
  const std::uint32_t started_in = task_at(graph, main_count, task.start);
  if (started_in != kNone && started_in > 0)
    task.needs[1] = {started_in - 1, task.start - graph.tasks[started_in].start};
  return task;
}

}  // namespace

std::vector<std::int64_t> with_collective_cuts(std::span<const HostStep> steps,
                                               std::vector<std::int64_t> ends) {
  std::vector<Interval> waits;
  for (const HostStep& step : steps) {
    for (const CollectiveWait& wait : step.waits) {
      waits.push_back({wait.start, wait.end});
      ends.push_back(wait.end);
    }
  }
  // A wait that begins within another one divides nothing: the thread is blocked before and after.
  const Intervals joined(std::move(waits));
  for (const Interval& wait : joined.parts()) ends.push_back(wait.start);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

void add_collective_tasks(const GraphSource& source, std::uint32_t main_count, TaskGraph& graph) {
  for (const HostStep& step : graph.steps) {
    for (const CollectiveWait& wait : step.waits) {
      if (!mark_waiting(graph, main_count, wait) || !wait.done) continue;
      const std::uint32_t waiting = task_at(graph, main_count, wait.end - 1);
      Task collective = collective_task(source, graph, main_count, wait);
      collective.frame = static_cast<std::uint32_t>(graph.frames.size());
      graph.frames.push_back({wait.track, wait.row, kNone, HostCategory::communication});
      graph.tasks[waiting].needs[kWaitNeed] = {static_cast<std::uint32_t>(graph.tasks.size()), 0};
      graph.tasks[waiting].own = 0;
      graph.tasks.push_back(collective);
    }
  }
}

}  // namespace laptime::replay
