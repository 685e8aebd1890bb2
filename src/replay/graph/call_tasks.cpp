#include "replay/graph/graph_parts.h"

#include <algorithm>

#include "trace/run/intervals.h"
#include "trace/run/nesting.h"

namespace laptime::replay {

namespace {

bool is_call(SpanKind kind) { return kind == SpanKind::dispatch || kind == SpanKind::wait; }
bool is_call(HostCategory category) {
  return category == HostCategory::dispatch || category == HostCategory::device_wait;
}

Intervals calls_of(const SpanColumns& spans) {
  std::vector<Interval> calls;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (is_call(spans.kind[row])) calls.push_back({spans.start[row], spans.end(row)});
  return Intervals(std::move(calls));
}

// Whether a call waits for a thread that does this.
bool is_awaited(HostCategory category) {
  return category < HostCategory::dispatch && category != HostCategory::gc &&
         category != HostCategory::checkpoint;
}

// The stepping thread's task waits for the last task that ends in it, and is what runs meanwhile.
void wait_for(TaskGraph& graph, std::uint32_t other, Task& call) {
  const Task& task = graph.tasks[other];
  call.category = std::min(call.category, task.category);
  Dependency& need = call.needs[kWaitNeed];
  if (task.end > call.end || task.end <= call.start ||
      (need.task != kNone && graph.tasks[need.task].end >= task.end))
    return;
  need = {other, 0};
  call.own = call.end - task.end;
}

}  // namespace

std::vector<std::int64_t> with_call_cuts(const GraphSource& source, std::uint32_t track,
                                         std::span<const std::uint32_t> others,
                                         std::vector<std::int64_t> cuts) {
  const Intervals calls = calls_of(source.run.tracks[track].spans);
  Intervals::Cursor in_call(calls);
  for (const std::uint32_t other : others) {
    const SpanColumns& spans = source.run.tracks[other].spans;
    for (std::size_t row = 0; row < spans.size(); ++row)
      for (const std::int64_t time : {spans.start[row], spans.end(row)})
        if (is_nested_kind(spans.kind[row]) && in_call.contains(time)) cuts.push_back(time);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

void add_call_waits(std::uint32_t main_count, TaskGraph& graph) {
  const auto begin = graph.tasks.begin(), end = begin + main_count;
  std::vector<bool> calls;
  for (auto task = begin; task != end; ++task) calls.push_back(is_call(task->category));
  for (auto i = main_count; i < graph.tasks.size(); ++i) {
    const Task& task = graph.tasks[i];
    if (!is_awaited(task.category)) continue;
    auto call = std::upper_bound(begin, end, task.start,
                                 [](std::int64_t t, const Task& main) { return t < main.end; });
    for (; call != end && call->start < task.end; ++call)
      if (calls[static_cast<std::size_t>(call - begin)]) wait_for(graph, i, *call);
  }
}

}  // namespace laptime::replay
