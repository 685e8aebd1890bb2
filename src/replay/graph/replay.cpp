#include "replay/graph/replay.h"

#include <algorithm>
#include <cmath>

#include "trace/run/intervals.h"

namespace laptime::replay {

namespace {

// By step: the host's own time in it, by category.
std::vector<CategoryTimes> split_host(const TaskGraph& graph, const Replay& replay) {
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

}  // namespace

Replay replay(const TaskGraph& graph, const Prices& prices) {
  Replay result;
  result.start.resize(graph.tasks.size());
  result.end.resize(graph.tasks.size());
  result.cause.resize(graph.tasks.size(), Replay::kFree);
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    const bool is_host = task.kind == TaskKind::host,
               released = is_host && !prices.released.empty() && prices.released[i];
    std::int64_t ready = INT64_MIN;
    for (std::size_t n = 0; n < task.needs.size(); ++n) {
      const Dependency& need = task.needs[n];
      if (need.task == kNone || (released && n == kWaitNeed)) continue;
      const std::int64_t delay =
          is_host && need.delay > 0 && need.delay <= prices.free_gap ? 0 : need.delay;
      if (result.end[need.task] + delay < ready) continue;
      ready = result.end[need.task] + delay;
      result.cause[i] = static_cast<std::uint8_t>(n);
    }
    result.start[i] = ready == INT64_MIN ? task.start : ready;
    result.end[i] = result.start[i] + prices.own[i];
  }
  return result;
}

Prices recorded_times(const TaskGraph& graph) {
  Prices prices;
  prices.own.reserve(graph.tasks.size());
  for (const Task& task : graph.tasks) prices.own.push_back(task.own);
  return prices;
}

StepEnds step_ends(const TaskGraph& graph, const Replay& replay) {
  StepEnds ends;
  ends.host_begin = ends.begin = graph.steps.front().step.start_ns;
  ends.host.resize(graph.steps.size(), ends.begin);
  ends.all = ends.host;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (task.step < ends.host.size())
      ends.host[task.step] = std::max(ends.host[task.step], replay.end[i]);
    if (task.kind == TaskKind::host) continue;
    std::int64_t& done =
        task.launched_in == kNone
            ? ends.begin
            : ends.all[std::min<std::size_t>(task.launched_in, ends.all.size() - 1)];
    done = std::max(done, replay.end[i]);
  }
  for (std::size_t s = 0; s < ends.host.size(); ++s) {
    ends.host[s] = std::max(ends.host[s], s == 0 ? ends.host_begin : ends.host[s - 1]);
    ends.all[s] = std::max({ends.all[s], ends.host[s], s == 0 ? ends.begin : ends.all[s - 1]});
  }
  return ends;
}

std::vector<CategoryTimes> split_replayed(const TaskGraph& graph, const Replay& replay) {
  std::vector<CategoryTimes> steps = split_host(graph, replay);
  const StepEnds ends = step_ends(graph, replay);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::int64_t host = sum(steps[s]);
    const std::int64_t wall = ends.all[s] - (s == 0 ? ends.begin : ends.all[s - 1]);
    std::int64_t& launching = steps[s][static_cast<std::size_t>(HostCategory::launch)];
    if (wall < host && host > 0)
      for (std::int64_t& ns : steps[s])
        ns = std::llround(static_cast<double>(ns) * static_cast<double>(wall) /
                          static_cast<double>(host));
    launching += std::max<std::int64_t>(0, wall - host);
  }
  return steps;
}

std::vector<DeviceTimes> device_times(const TaskGraph& graph, const Replay& replay) {
  const StepEnds ends = step_ends(graph, replay);
  std::vector<Interval> work;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i)
    if (graph.tasks[i].kind != TaskKind::host) work.push_back({replay.start[i], replay.end[i]});
  const Intervals busy(std::move(work));
  std::vector<DeviceTimes> steps(ends.all.size());
  std::int64_t from = ends.begin;
  for (std::size_t s = 0; s < steps.size(); from = ends.all[s++]) {
    steps[s].wall_ns = ends.all[s] - from;
    for (const Interval& part : busy.parts())
      steps[s].busy_ns +=
          std::max<std::int64_t>(0, std::min(part.end, ends.all[s]) - std::max(part.start, from));
  }
  return steps;
}

}  // namespace laptime::replay
