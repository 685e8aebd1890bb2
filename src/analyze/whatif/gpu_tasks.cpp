#include "analyze/whatif/gpu_tasks.h"

#include <algorithm>
#include <map>

#include "analyze/kernel_names.h"
#include "analyze/percentile.h"

namespace laptime::whatif {

namespace {

constexpr std::int64_t kLaunchLatency = 3'000;  // from a launch to its work on an idle stream, where none was seen
constexpr std::int64_t kStreamGap = 1'000;      // between two that are queued
constexpr std::int64_t kSoonAfter = 20'000;     // one that begins this soon after another ends waited for it
constexpr std::int64_t kLongLaunch = 20'000;    // a call that takes this and many times the usual waited for room in the queue
constexpr std::int64_t kTimesUsual = 5;

class GpuTasks {
 public:
  GpuTasks(const GraphSource& source, TaskGraph& graph) : source_(source), graph_(graph) {
    for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) host_[graph.tasks[i].track].push_back(i);
    std::vector<std::int64_t> durations;
    for (const Task& task : graph.tasks)
      if (kind_of(task) == SpanKind::launch) durations.push_back(task.end - task.start);
    if (!durations.empty()) usual_launch_ = take_percentile(durations, 0.5);
  }

  void add(std::int64_t from, std::int64_t to) {
    const auto& order = source_.gpu_by_launch;
    const auto launched = [&](std::uint32_t i) { return launch_of(source_.gpu.all()[i]); };
    const auto first = std::lower_bound(order.begin(), order.end(), from, [&](std::uint32_t i, std::int64_t t) { return launched(i) < t; });
    const std::uint32_t process = source_.run.tracks[graph_.steps.front().step.track].process;
    for (auto it = first; it != order.end() && launched(*it) < to; ++it)
      if (const GpuWork& work = source_.gpu.all()[*it]; source_.run.tracks[work.track].process == process) add(work);
    std::sort(work_.begin(), work_.end(), [&](std::uint32_t a, std::uint32_t b) { return graph_.tasks[a].end < graph_.tasks[b].end; });
    const auto host_tasks = host_;
    for (const auto& [track, tasks] : host_tasks)
      for (const std::uint32_t task : tasks) let_wait(task);
  }

 private:
  std::int64_t launch_of(const GpuWork& work) const { return work.launch ? work.launch->start_ns : source_.run.tracks[work.track].spans.start[work.row]; }
  SpanKind kind_of(const Task& task) const {
    if (task.frame == kNone || task.kind != TaskKind::host) return SpanKind::scope;
    const Frame& frame = graph_.frames[task.frame];
    return source_.run.tracks[frame.track].spans.kind[frame.row];
  }
  TaskKind task_kind(const GpuWork& work) const {
    const SpanColumns& spans = source_.run.tracks[work.track].spans;
    const SpanKind kind = spans.kind[work.row];
    if (kind == SpanKind::communication || is_communication_kernel(source_.run.strings[spans.name[work.row]])) return TaskKind::communication;
    return kind == SpanKind::kernel ? TaskKind::kernel : TaskKind::copy;
  }
  // The task of a thread that ended where the moment's began; kNone: not in the graph.
  std::uint32_t task_before(std::uint32_t track, std::int64_t time) const {
    const auto it = host_.find(track);
    if (it == host_.end()) return kNone;
    const auto after = std::upper_bound(it->second.begin(), it->second.end(), time, [&](std::int64_t t, std::uint32_t i) { return t < graph_.tasks[i].end; });
    return after == it->second.begin() ? kNone : *(after - 1);
  }
  std::uint32_t task_at(std::uint32_t track, std::int64_t time) const {
    const auto it = host_.find(track);
    if (it == host_.end()) return kNone;
    const auto after = std::upper_bound(it->second.begin(), it->second.end(), time, [&](std::int64_t t, std::uint32_t i) { return t < graph_.tasks[i].end; });
    return after == it->second.end() ? kNone : *after;
  }

  void add(const GpuWork& work) {
    const SpanColumns& spans = source_.run.tracks[work.track].spans;
    Task task;
    task.track = work.track, task.row = work.row, task.place = work.place, task.kind = task_kind(work);
    task.start = spans.start[work.row], task.end = spans.end(work.row), task.own = spans.duration[work.row];
    const std::int64_t launched = launch_of(work);
    if (work.launch) {
      task.needs[1].task = task_before(work.launch->track, launched);
      if (const std::uint32_t call = task_at(work.launch->track, launched); call != kNone) task.frame = graph_.tasks[call].frame;
    }
    const auto last = last_.find(work.track);
    if (last != last_.end()) task.needs[0].task = last->second;
    set_delays(task, launched);
    const auto index = static_cast<std::uint32_t>(graph_.tasks.size());
    graph_.tasks.push_back(task);
    last_[work.track] = index;
    work_.push_back(index);
  }

  void set_delays(Task& task, std::int64_t launched) {
    Dependency &previous = task.needs[0], &launch = task.needs[1];
    const std::int64_t free_since = previous.task == kNone ? INT64_MIN : graph_.tasks[previous.task].end;
    const std::int64_t gap = std::max<std::int64_t>(0, task.start - std::max(free_since, launched));
    const bool queued = free_since > launched + kLaunchLatency;
    if (previous.task != kNone) previous.delay = std::clamp<std::int64_t>(task.start - free_since, 0, queued ? kSoonAfter : kStreamGap);
    launch.delay = std::clamp<std::int64_t>(task.start - launched, 0, queued ? kLaunchLatency : INT64_MAX);
    if (gap <= kSoonAfter) return;
    // Neither explains when it began.
    if (const std::uint32_t other = ended_before(task); other != kNone) {
      task.needs[2] = {other, task.start - graph_.tasks[other].end};
      launch.delay = std::min(launch.delay, kLaunchLatency);
    } else {
      launch.delay = task.start - launched;
    }
  }
  // Work on another stream that ended soon before the task began.
  std::uint32_t ended_before(const Task& task) const {
    std::uint32_t found = kNone;
    for (const auto& [track, last] : last_) {
      if (track == task.track) continue;
      for (std::uint32_t i = last; i != kNone; i = graph_.tasks[i].needs[0].task) {
        const std::int64_t end = graph_.tasks[i].end;
        if (end > task.start) continue;
        if (task.start - end <= kSoonAfter && (found == kNone || end > graph_.tasks[found].end)) found = i;
        break;
      }
    }
    return found;
  }

  // Of work launched before `launched`, what ended last, no later than `until`.
  std::uint32_t last_work(std::int64_t launched, std::int64_t until) const {
    auto it = std::upper_bound(work_.begin(), work_.end(), until, [&](std::int64_t t, std::uint32_t i) { return t < graph_.tasks[i].end; });
    while (it != work_.begin()) {
      const Task& task = graph_.tasks[*--it];
      const std::uint32_t before = task.needs[1].task;
      if (before == kNone || graph_.tasks[before].end < launched) return *it;
    }
    return kNone;
  }

  // A task of the host that stands in a call which waits ends when the work does.
  void let_wait(std::uint32_t index) {
    const SpanKind kind = kind_of(graph_.tasks[index]);
    if (kind != SpanKind::sync && kind != SpanKind::launch) return;
    Task& task = graph_.tasks[index];
    const std::int64_t length = task.end - task.start;
    if (kind == SpanKind::launch && !blocks(task) && (length < kLongLaunch || length < kTimesUsual * usual_launch_)) return;
    const std::uint32_t work = last_work(kind == SpanKind::sync ? task.start : task.end, task.end);
    if (work == kNone || (kind == SpanKind::launch && graph_.tasks[work].end < task.start)) return;
    if (kind == SpanKind::launch && blocks(task)) task.category = std::min(task.category, HostCategory::copy);
    task.needs[1] = {work, 0};
    task.own = task.end - std::max(task.start, graph_.tasks[work].end);
  }
  // A copy that the call itself waits for.
  bool blocks(const Task& call) const {
    for (auto it = std::lower_bound(work_.begin(), work_.end(), call.start, [&](std::uint32_t i, std::int64_t t) { return graph_.tasks[i].end < t; });
         it != work_.end() && graph_.tasks[*it].end <= call.end; ++it) {
      const Task& work = graph_.tasks[*it];
      if (work.frame != call.frame) continue;
      if (source_.run.strings[source_.run.tracks[work.track].spans.name[work.row]].ends_with("blocking")) return true;
    }
    return false;
  }

  const GraphSource& source_;
  TaskGraph& graph_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> host_;  // by track: its tasks, in their order
  std::map<std::uint32_t, std::uint32_t> last_;               // by stream: its last task
  std::vector<std::uint32_t> work_;                           // GPU tasks, by end once all are there
  std::int64_t usual_launch_ = 0;
};

}  // namespace

void add_gpu_tasks(const GraphSource& source, std::int64_t from, std::int64_t to, TaskGraph& graph) { GpuTasks(source, graph).add(from, to); }

}  // namespace laptime::whatif
