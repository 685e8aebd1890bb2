#include "replay/graph/graph_parts.h"

#include <algorithm>
#include <numeric>

#include "replay/graph/task_graph.h"
#include "trace/gpu/kernel_names.h"
#include "trace/run/nesting.h"

namespace laptime::replay {

namespace {

// Whether the task is in backward of torch's engine.
bool is_torch_backward(const GraphSource& source, const TaskGraph& graph, const Task& task) {
  if (task.category != HostCategory::backward) return false;
  for (std::uint32_t f = task.frame; f != kNone; f = graph.frames[f].outer) {
    const SpanColumns& spans = source.run.tracks[graph.frames[f].track].spans;
    const std::uint32_t row = graph.frames[f].row;
    if (spans.kind[row] == SpanKind::backward && source.torch_nodes[spans.name[row]]) return true;
  }
  return false;
}

// The engine's time between two backward spans is backward, as in host_time.h.
void join_backward(const GraphSource& source, TaskGraph& graph) {
  for (std::size_t i = 1; i + 1 < graph.tasks.size(); ++i) {
    Task& gap = graph.tasks[i];
    const auto is_backward = [&](const Task& t) {
      return t.track == gap.track && t.step == gap.step && is_torch_backward(source, graph, t);
    };
    if (gap.frame == kNone && is_backward(graph.tasks[i - 1]) && is_backward(graph.tasks[i + 1]))
      gap.category = HostCategory::backward;
  }
}

// Other threads of the process that ran ops in the window.
class OtherThreads {
 public:
  OtherThreads(const GraphSource& source, TaskGraph& graph)
      : source_(source),
        graph_(graph),
        main_count_(static_cast<std::uint32_t>(graph.tasks.size())) {}

  void add(std::uint32_t track, std::int64_t from, std::int64_t to) {
    const auto first = static_cast<std::uint32_t>(graph_.tasks.size());
    add_host_tasks(source_, track, from, to, {}, graph_);
    std::uint32_t last = kNone;
    for (std::uint32_t i = first; i < graph_.tasks.size(); ++i) {
      if (graph_.tasks[i].frame == kNone) continue;
      tie(i, last);
      last = i;
    }
    // The gaps between them are delays.
    std::vector<std::uint32_t> moved(graph_.tasks.size() - first, kNone);
    std::uint32_t kept = first;
    for (std::uint32_t i = first; i < graph_.tasks.size(); ++i) {
      if (graph_.tasks[i].frame == kNone) continue;
      moved[i - first] = kept;
      graph_.tasks[kept] = graph_.tasks[i];
      if (std::uint32_t& before = graph_.tasks[kept].needs[0].task;
          before != kNone && before >= first)
        before = moved[before - first];
      ++kept;
    }
    graph_.tasks.resize(kept);
    for (std::uint32_t i = first; i < kept; ++i) note_backward(i);
  }

 private:
  std::uint32_t main_task_at(std::int64_t time) const {
    const auto begin = graph_.tasks.begin(), end = begin + main_count_;
    const auto it = std::upper_bound(begin, end, time,
                                     [](std::int64_t t, const Task& task) { return t < task.end; });
    return it == end ? kNone : static_cast<std::uint32_t>(it - begin);
  }
  // The task depends on the previous one of its thread. If the stepping thread did something in
  // between, it depends on that.
  void tie(std::uint32_t index, std::uint32_t last) {
    Task& task = graph_.tasks[index];
    task.needs = {};
    const std::uint32_t main = main_task_at(task.start);
    if (last != kNone) task.needs[0] = {last, 0};
    if (main == kNone) return;
    const Task& stepping = graph_.tasks[main];
    if (last != kNone && graph_.tasks[last].end >= stepping.start) {
      task.needs[0].delay = task.start - graph_.tasks[last].end;
    } else if (main > 0) {
      task.needs[1] = {main - 1, task.start - stepping.start};
    }
  }
  // A gap of the stepping thread during backward on this thread was a wait for it.
  void note_backward(std::uint32_t index) {
    const Task& task = graph_.tasks[index];
    if (task.end == 0 || !is_torch_backward(source_, graph_, task)) return;
    const std::uint32_t main = main_task_at(task.end - 1);
    if (main == kNone || graph_.tasks[main].frame != kNone || task.end > graph_.tasks[main].end)
      return;
    Task& waiting = graph_.tasks[main];
    waiting.needs[kWaitNeed] = {index, 0};
    waiting.own = std::min(waiting.own, waiting.end - task.end);
    waiting.category = HostCategory::backward;
  }

  const GraphSource& source_;
  TaskGraph& graph_;
  std::uint32_t main_count_;
};

// `has_calls`: the process calls compiled functions. Then threads that only wait for input count,
// too.
bool has_ops(const SpanColumns& spans, const std::vector<std::uint32_t>& order, std::int64_t from,
             std::int64_t to, bool has_calls) {
  const auto counts = [&](SpanKind kind) {
    return kind == SpanKind::op || kind == SpanKind::backward ||
           (has_calls && (kind == SpanKind::loader || kind == SpanKind::compile));
  };
  const auto row_at = [&](std::size_t i) {
    return order.empty() ? static_cast<std::uint32_t>(i) : order[i];
  };
  for (std::size_t i = first_ending_after(spans, order, from);
       i < spans.size() && spans.end(row_at(i)) <= to; ++i)
    if (counts(spans.kind[row_at(i)])) return true;
  return false;
}

std::vector<std::uint32_t> other_threads(const GraphSource& source, const HostStep& step,
                                         std::int64_t from, std::int64_t to) {
  const std::uint32_t process = source.run.tracks[step.step.track].process;
  std::vector<std::uint32_t> others;
  for (std::uint32_t t = 0; t < source.run.tracks.size(); ++t) {
    const Track& other = source.run.tracks[t];
    if (t != step.step.track && other.process == process && other.kind == TrackKind::thread &&
        has_ops(other.spans, source.orders[t], from, to, step.sources.calls))
      others.push_back(t);
  }
  return others;
}

// Sorts tasks by their ends, so that a task's needs come before it.
void sort_tasks(TaskGraph& graph) {
  std::vector<std::uint32_t> order(graph.tasks.size()), place(graph.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Task &x = graph.tasks[a], &y = graph.tasks[b];
    if (x.end != y.end) return x.end < y.end;
    // Of tasks that end together, the stepping thread's is the one that waits.
    return (x.step == kNone ? 0 : 1) < (y.step == kNone ? 0 : 1);
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<Task> sorted;
  sorted.reserve(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    Task task = graph.tasks[order[i]];
    for (Dependency& need : task.needs) {
      if (need.task == kNone) continue;
      need.task = place[need.task];
      if (need.task >= i) need = {};
    }
    sorted.push_back(task);
  }
  graph.tasks = std::move(sorted);
}

}  // namespace

TaskGraph build_task_graph(const GraphSource& source, std::span<const HostStep> steps) {
  TaskGraph graph;
  graph.steps = steps;
  const std::uint32_t track = steps.front().step.track;
  const bool has_calls = steps.front().sources.calls;
  const std::int64_t from = steps.front().step.start_ns,
                     to = steps.back().step.start_ns + steps.back().step.wall_ns;
  std::vector<std::int64_t> ends;
  for (const HostStep& step : steps) ends.push_back(step.step.start_ns + step.step.wall_ns);
  const std::vector<std::uint32_t> threads = other_threads(source, steps.front(), from, to);
  std::vector<std::int64_t> cuts = with_collective_cuts(steps, ends);
  if (has_calls) cuts = with_call_cuts(source, track, threads, std::move(cuts));
  add_host_tasks(source, track, from, to, cuts, graph);
  for (Task& task : graph.tasks)
    task.step = static_cast<std::uint32_t>(std::lower_bound(ends.begin(), ends.end(), task.end) -
                                           ends.begin());
  join_backward(source, graph);
  const auto main_count = static_cast<std::uint32_t>(graph.tasks.size());
  OtherThreads others(source, graph);
  for (const std::uint32_t thread : threads) others.add(thread, from, to);
  if (has_calls) add_call_waits(main_count, graph);
  add_collective_tasks(source, main_count, graph);
  graph.has_gpu = !source.gpu.all().empty();
  if (graph.has_gpu) add_gpu_tasks(source, from, to, graph);
  sort_tasks(graph);
  return graph;
}

}  // namespace laptime::replay
