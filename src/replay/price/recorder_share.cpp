#include "replay/price/recorder_share.h"

#include <algorithm>

#include "replay/graph/replay.h"

namespace laptime::replay {

namespace {

constexpr std::int64_t kLaunch = 2'500, kSync = 1'500, kOp = 600;
constexpr double kLine = 65;

std::int64_t share_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::launch:
      return kLaunch;
    case SpanKind::sync:
      return kSync;
    case SpanKind::op:
    case SpanKind::backward:
    case SpanKind::annotation:
      return kOp;
    default:
      return 0;
  }
}

// Lines of Python ran somewhere in a step's gaps. All of them shrink in the same proportion.
void take_off_lines(const GraphSource& source, const TaskGraph& graph,
                    std::vector<std::int64_t>& own) {
  const auto is_gap = [&](const Task& task) {
    return task.step < graph.steps.size() && task.frame == kNone &&
           task.category == HostCategory::rest;
  };
  std::vector<double> gaps(graph.steps.size());
  for (std::size_t i = 0; i < own.size(); ++i)
    if (is_gap(graph.tasks[i])) gaps[graph.tasks[i].step] += static_cast<double>(own[i]);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Task& task = graph.tasks[i];
    const StepPython* python =
        is_gap(task) ? source.python.find(graph.steps[task.step].step) : nullptr;
    if (python)
      own[i] =
          scaled(own[i], std::max(0.5, 1 - python->hits * kLine / std::max(1.0, gaps[task.step])));
  }
}

}  // namespace

void scale_host(const TaskGraph& graph, double factor, std::vector<std::int64_t>& own) {
  if (factor == 1) return;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (graph.tasks[i].kind == TaskKind::host) own[i] = scaled(own[i], factor);
}

double line_share(const GraphSource& source) { return source.gpu.all().empty() ? 0 : kLine; }

Prices bare_times(const GraphSource& source, const TaskGraph& graph) {
  Prices prices = recorded_times(graph);
  if (!graph.has_gpu) return prices;
  std::vector<bool> seen(graph.frames.size());
  for (std::size_t i = 0; i < prices.own.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (task.kind != TaskKind::host || task.frame == kNone || seen[task.frame]) continue;
    seen[task.frame] = true;
    const Frame& frame = graph.frames[task.frame];
    prices.own[i] -=
        std::min(prices.own[i] / 2, share_of(source.run.tracks[frame.track].spans.kind[frame.row]));
  }
  take_off_lines(source, graph, prices.own);
  scale_host(graph, graph.host_left, prices.own);
  return prices;
}

}  // namespace laptime::replay
