#include "analyze/whatif/replay.h"

#include <algorithm>

#include "analyze/stretches.h"

namespace laptime::whatif {

namespace {

// By step: when it ends.
std::vector<std::int64_t> step_ends(const TaskGraph& graph, const Replay& replay) {
  std::vector<std::int64_t> ends(graph.steps.size(), graph.steps.front().step.start_ns);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i)
    if (const std::uint32_t step = graph.tasks[i].step; step < ends.size()) ends[step] = std::max(ends[step], replay.end[i]);
  for (std::size_t s = 1; s < ends.size(); ++s) ends[s] = std::max(ends[s], ends[s - 1]);
  return ends;
}

}  // namespace

Replay replay(const TaskGraph& graph, std::span<const std::int64_t> own) {
  Replay result;
  result.start.resize(graph.tasks.size());
  result.end.resize(graph.tasks.size());
  result.cause.resize(graph.tasks.size(), Replay::kFree);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    std::int64_t ready = INT64_MIN;
    for (std::uint8_t n = 0; n < task.needs.size(); ++n) {
      const Dependency& need = task.needs[n];
      if (need.task == kNone || result.end[need.task] + need.delay < ready) continue;
      ready = result.end[need.task] + need.delay;
      result.cause[i] = n;
    }
    result.start[i] = ready == INT64_MIN ? task.start : ready;
    result.end[i] = result.start[i] + own[i];
  }
  return result;
}

std::vector<std::int64_t> recorded_times(const TaskGraph& graph) {
  std::vector<std::int64_t> own;
  own.reserve(graph.tasks.size());
  for (const Task& task : graph.tasks) own.push_back(task.own);
  return own;
}

std::vector<CategoryTimes> split_replayed(const TaskGraph& graph, const Replay& replay) {
  std::vector<CategoryTimes> steps(graph.steps.size());
  std::int64_t now = graph.steps.front().step.start_ns;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (task.step >= steps.size()) continue;
    steps[task.step][static_cast<std::size_t>(task.category)] += replay.end[i] - now;
    now = replay.end[i];
  }
  return steps;
}

std::vector<DeviceTimes> device_times(const TaskGraph& graph, const Replay& replay) {
  const std::vector<std::int64_t> ends = step_ends(graph, replay);
  std::vector<Stretch> work;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i)
    if (graph.tasks[i].kind != TaskKind::host) work.push_back({replay.start[i], replay.end[i]});
  const Stretches busy(std::move(work));
  std::vector<DeviceTimes> steps(ends.size());
  std::int64_t from = graph.steps.front().step.start_ns;
  for (std::size_t s = 0; s < ends.size(); from = ends[s++]) {
    steps[s].wall_ns = ends[s] - from;
    for (const Stretch& part : busy.parts()) steps[s].busy_ns += std::max<std::int64_t>(0, std::min(part.end, ends[s]) - std::max(part.start, from));
  }
  return steps;
}

}  // namespace laptime::whatif
