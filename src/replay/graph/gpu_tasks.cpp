#include "replay/graph/graph_parts.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "trace/gpu/kernel_names.h"

namespace laptime::replay {

namespace {

// From a launch to its work on an idle stream, if none was seen.
constexpr std::int64_t kLaunchLatency = 3'000;
constexpr std::int64_t kStreamGap = 1'000;  // between two queued kernels or copies
// Work that begins this soon after other work ended had waited for it.
constexpr std::int64_t kSoonAfter = 20'000;
// The launches that a GPU queues. The next one waits (seen on an H200, CUDA 13).
constexpr std::size_t kQueue = 1'022;
// If a launch ended this long before there was room, the queue is deeper.
constexpr std::int64_t kDeeper = 50'000;
// A call that takes this long and kTimesUsual times the usual has waited, whatever the queue's
// depth.
constexpr std::int64_t kLongLaunch = 20'000;
constexpr std::int64_t kTimesUsual = 5;

class GpuTasks {
 public:
  GpuTasks(const GraphSource& source, TaskGraph& graph) : source_(source), graph_(graph) {
    for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) host_[graph.tasks[i].track].push_back(i);
    std::vector<std::int64_t> durations;
    for (const Task& task : graph.tasks)
      if (kind_of(task) == SpanKind::launch) durations.push_back(task.end - task.start);
    if (!durations.empty()) graph_.usual_launch = take_percentile(durations, 0.5);
    for (const HostStep& step : graph.steps)
      step_ends_.push_back(step.step.start_ns + step.step.wall_ns);
  }

  // The work launched in the window, and the unfinished work of GPUs at its begin.
  void add(std::int64_t from, std::int64_t to) {
    const auto& order = source_.gpu_by_launch;
    const auto launched = [&](std::uint32_t i) { return launch_of(source_.gpu.all()[i]); };
    const auto first =
        std::lower_bound(order.begin(), order.end(), from,
                         [&](std::uint32_t i, std::int64_t t) { return launched(i) < t; });
    const std::uint32_t process = source_.run.tracks[graph_.steps.front().step.track].process;
    const Launch* last = nullptr;
    for (auto it = first - std::min<std::ptrdiff_t>(2 * kQueue, first - order.begin());
         it != order.end() && launched(*it) < to; ++it) {
      const GpuWork& work = source_.gpu.all()[*it];
      if (source_.run.tracks[work.track].process != process) continue;
      const bool is_there =
          it >= first || source_.run.tracks[work.track].spans.end(work.row) > from;
      const std::uint32_t task = is_there ? add(*it) : kNone;
      if (work.launch && work.launch == last) continue;  // a CUDA graph is one launch of many nodes
      last = work.launch;
      if (const std::uint32_t call =
              work.launch && it >= first ? task_at(work.launch->track, launched(*it)) : kNone;
          call != kNone)
        position_[call] = launched_.size();
      launched_.push_back(task);
    }
    std::sort(work_.begin(), work_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return graph_.tasks[a].end < graph_.tasks[b].end;
    });
    const auto host_tasks = host_;
    for (const auto& [track, tasks] : host_tasks)
      for (const std::uint32_t task : tasks) let_wait(task);
  }

 private:
  std::int64_t launch_of(const GpuWork& work) const {
    return work.launch ? work.launch->start_ns
                       : source_.run.tracks[work.track].spans.start[work.row];
  }
  SpanKind kind_of(const Task& task) const {
    if (task.frame == kNone || task.kind != TaskKind::host) return SpanKind::scope;
    const Frame& frame = graph_.frames[task.frame];
    return source_.run.tracks[frame.track].spans.kind[frame.row];
  }
  TaskKind task_kind(const GpuWork& work) const {
    const SpanColumns& spans = source_.run.tracks[work.track].spans;
    if (is_communication_kernel(source_.run.strings[spans.name[work.row]]))
      return TaskKind::communication;
    return spans.kind[work.row] == SpanKind::kernel ? TaskKind::kernel : TaskKind::copy;
  }
  // The task of a thread that ended where the task at the moment began. kNone: not in the graph.
  std::uint32_t task_before(std::uint32_t track, std::int64_t time) const {
    const auto it = host_.find(track);
    if (it == host_.end()) return kNone;
    const auto after =
        std::upper_bound(it->second.begin(), it->second.end(), time,
                         [&](std::int64_t t, std::uint32_t i) { return t < graph_.tasks[i].end; });
    return after == it->second.begin() ? kNone : *(after - 1);
  }
  std::uint32_t task_at(std::uint32_t track, std::int64_t time) const {
    const auto it = host_.find(track);
    if (it == host_.end()) return kNone;
    const auto after =
        std::upper_bound(it->second.begin(), it->second.end(), time,
                         [&](std::int64_t t, std::uint32_t i) { return t < graph_.tasks[i].end; });
    return after == it->second.end() ? kNone : *after;
  }

  std::uint32_t add(std::uint32_t number) {
    const GpuWork& work = source_.gpu.all()[number];
    const SpanColumns& spans = source_.run.tracks[work.track].spans;
    Task task;
    task.track = work.track, task.row = work.row, task.work = number,
    task.call_site = work.call_site, task.kind = task_kind(work);
    task.start = spans.start[work.row], task.end = spans.end(work.row),
    task.own = spans.duration[work.row];
    const std::int64_t launched = launch_of(work);
    if (launched >= graph_.steps.front().step.start_ns)
      task.launched_in = static_cast<std::uint32_t>(
          std::upper_bound(step_ends_.begin(), step_ends_.end(), launched) - step_ends_.begin());
    // Work with an unknown launch depends on the stepping thread's task at its begin.
    const std::uint32_t thread = work.launch ? work.launch->track : graph_.steps.front().step.track;
    task.needs[1].task = task_before(thread, launched);
    if (const std::uint32_t call = work.launch ? task_at(thread, launched) : kNone; call != kNone)
      task.frame = graph_.tasks[call].frame;
    const auto last = last_.find(work.track);
    if (last != last_.end()) task.needs[0].task = last->second;
    set_delays(task, launched);
    const auto index = static_cast<std::uint32_t>(graph_.tasks.size());
    graph_.tasks.push_back(task);
    last_[work.track] = index;
    work_.push_back(index);
    return index;
  }

  void set_delays(Task& task, std::int64_t launched) {
    Dependency &previous = task.needs[0], &launch = task.needs[1];
    const std::int64_t free_since =
        previous.task == kNone ? INT64_MIN : graph_.tasks[previous.task].end;
    const std::int64_t gap = std::max<std::int64_t>(0, task.start - std::max(free_since, launched));
    const bool queued = free_since > launched + kLaunchLatency;
    if (previous.task != kNone)
      previous.delay =
          std::clamp<std::int64_t>(task.start - free_since, 0, queued ? kSoonAfter : kStreamGap);
    launch.delay =
        std::clamp<std::int64_t>(task.start - launched, 0, queued ? kLaunchLatency : INT64_MAX);
    if (gap <= kSoonAfter) return;
    // Neither of both explains when it began.
    if (const std::uint32_t other = ended_before(task); other != kNone) {
      task.needs[2] = {other, task.start - graph_.tasks[other].end};
      launch.delay = std::min(launch.delay, kLaunchLatency);
    } else {
      launch.delay = task.start - launched;
    }
  }
  // Work on another stream that ended shortly before the task began.
  std::uint32_t ended_before(const Task& task) const {
    std::uint32_t found = kNone;
    for (const auto& [track, last] : last_) {
      if (track == task.track) continue;
      for (std::uint32_t i = last; i != kNone; i = graph_.tasks[i].needs[0].task) {
        const std::int64_t end = graph_.tasks[i].end;
        if (end > task.start) continue;
        if (task.start - end <= kSoonAfter && (found == kNone || end > graph_.tasks[found].end))
          found = i;
        break;
      }
    }
    return found;
  }

  // Of the work launched before `launched`, the last to end, no later than `until`.
  std::uint32_t last_work(std::int64_t launched, std::int64_t until) const {
    auto it =
        std::upper_bound(work_.begin(), work_.end(), until,
                         [&](std::int64_t t, std::uint32_t i) { return t < graph_.tasks[i].end; });
    while (it != work_.begin()) {
      const Task& task = graph_.tasks[*--it];
      const std::uint32_t before = task.needs[1].task;
      if (before == kNone || graph_.tasks[before].end < launched) return *it;
    }
    return kNone;
  }

  // A task of the host in a call that waits ends when the work does.
  void let_wait(std::uint32_t index) {
    const SpanKind kind = kind_of(graph_.tasks[index]);
    Task& task = graph_.tasks[index];
    if (kind == SpanKind::sync) {
      const std::uint32_t work = last_work(task.start, task.end);
      if (work != kNone)
        wait_for(task, work, is_to_gpu(graph_.tasks[work]) ? Wait::copy : Wait::gpu);
    } else if (kind == SpanKind::launch) {
      if (blocks(task))
        let_copy_wait(task);
      else if (!let_queue_wait(index))
        let_long_launch_wait(task);
    }
  }
  void wait_for(Task& task, std::uint32_t work, Wait wait) {
    const std::int64_t end = graph_.tasks[work].end;
    task.wait = wait;
    task.needs[kWaitNeed] = {work, std::min<std::int64_t>(0, task.end - end)};
    task.own = task.end - std::max(task.start, std::min(end, task.end));
  }
  void let_copy_wait(Task& task) {
    const std::uint32_t work = last_work(task.end, task.end);
    if (work == kNone || graph_.tasks[work].end < task.start) return;
    task.category = std::min(task.category, HostCategory::copy);
    wait_for(task, work, is_to_gpu(graph_.tasks[work]) ? Wait::copy : Wait::gpu);
  }
  // Whether the queue's depth is known. A call begins to wait when that many launches are
  // unfinished, as recorded or after a change.
  bool let_queue_wait(std::uint32_t index) {
    const auto at = position_.find(index);
    if (at == position_.end() || at->second < kQueue) return false;
    const std::uint32_t work = launched_[at->second - kQueue];
    Task& task = graph_.tasks[index];
    if (work == kNone || graph_.tasks[work].end > task.end + kDeeper) return false;
    wait_for(task, work, Wait::queue);
    return true;
  }
  void let_long_launch_wait(Task& task) {
    const std::int64_t length = task.end - task.start;
    if (length < kLongLaunch || length < kTimesUsual * graph_.usual_launch) return;
    const std::uint32_t work = last_work(task.end, task.end);
    if (work != kNone && graph_.tasks[work].end >= task.start) wait_for(task, work, Wait::queue);
  }
  std::string_view name_of(const Task& work) const {
    return source_.run.strings[source_.run.tracks[work.track].spans.name[work.row]];
  }
  bool is_to_gpu(const Task& work) const {
    return work.kind == TaskKind::copy && source_.gpu.all()[work.work].copy.is_to_gpu();
  }
  // A copy that blocks its own call: from the GPU, or blocking by request. A call that copies from
  // pageable memory to the GPU takes the time that the driver needs to read it. Whether it also
  // waited shows only in its length.
  bool blocks(const Task& call) const {
    for (auto it = std::lower_bound(
             work_.begin(), work_.end(), call.start,
             [&](std::uint32_t i, std::int64_t t) { return graph_.tasks[i].end < t; });
         it != work_.end() && graph_.tasks[*it].end <= call.end; ++it)
      if (graph_.tasks[*it].frame == call.frame && is_waited_for(graph_.tasks[*it])) return true;
    return false;
  }
  bool is_waited_for(const Task& work) const {
    return source_.gpu.all()[work.work].waits &&
           (!is_to_gpu(work) || source_.gpu.all()[work.work].copy.blocking);
  }

  const GraphSource& source_;
  TaskGraph& graph_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> host_;  // by track: its tasks, in order
  std::map<std::uint32_t, std::uint32_t> last_;               // by stream: its last task
  std::vector<std::uint32_t> work_;                           // GPU tasks; once complete, by end
  // The tasks of launched work, in order of launch. kNone: done before the window.
  std::vector<std::uint32_t> launched_;
  std::map<std::uint32_t, std::size_t> position_;  // by call: its index in launched_
  std::vector<std::int64_t> step_ends_;
};

}  // namespace

void add_gpu_tasks(const GraphSource& source, std::int64_t from, std::int64_t to,
                   TaskGraph& graph) {
  GpuTasks(source, graph).add(from, to);
}

}  // namespace laptime::replay
