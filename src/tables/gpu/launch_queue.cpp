#include "tables/gpu/launch_queue.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/percentile.h"
#include "trace/analysis.h"
#include "trace/gpu/gpu_work.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

struct Queued {
  std::int64_t launched_ns, started_ns;  // started_ns: no earlier than launched_ns
};

struct QueueTimes {
  std::int64_t launched = 0;
  std::int64_t depth_p50 = 0, depth_max = 0;
  std::int64_t lead_p50_ns = 0, lead_max_ns = 0;
  double empty_share = 0;
};

// The launched work of one device of one process.
class Queue {
 public:
  void add(const Queued& work) {
    all_.push_back(work);
    changes_.push_back({work.launched_ns, 1});
    changes_.push_back({work.started_ns, -1});
  }
  void finish() {
    std::sort(all_.begin(), all_.end(),
              [](const Queued& a, const Queued& b) { return a.launched_ns < b.launched_ns; });
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.time_ns < b.time_ns; });
    for (std::size_t i = 1; i < changes_.size(); ++i) changes_[i].depth += changes_[i - 1].depth;
  }

  // For an interval with launches. Nothing if there were none.
  std::optional<QueueTimes> within(std::int64_t start, std::int64_t end) const {
    const auto launched_at = [](const Queued& work, std::int64_t time) {
      return work.launched_ns < time;
    };
    const auto first = std::lower_bound(all_.begin(), all_.end(), start, launched_at),
               last = std::lower_bound(first, all_.end(), end, launched_at);
    if (first == last || end <= start) return std::nullopt;
    std::vector<std::int64_t> leads;
    for (auto work = first; work != last; ++work)
      leads.push_back(work->started_ns - work->launched_ns);
    QueueTimes times;
    times.launched = static_cast<std::int64_t>(leads.size());
    times.lead_p50_ns = take_percentile(leads, 0.5);
    times.lead_max_ns = *std::max_element(leads.begin(), leads.end());
    measure_depth(start, end, times);
    return times;
  }

 private:
  struct Change {
    std::int64_t time_ns;
    std::int64_t depth;  // the change; after finish(): the depth from this moment on
  };

  void measure_depth(std::int64_t start, std::int64_t end, QueueTimes& times) const {
    std::map<std::int64_t, std::int64_t> ns_at;  // by depth
    auto next = std::upper_bound(
        changes_.begin(), changes_.end(), start,
        [](std::int64_t time, const Change& change) { return time < change.time_ns; });
    std::int64_t depth = next == changes_.begin() ? 0 : (next - 1)->depth;
    for (std::int64_t now = start; now < end; ++next) {
      const std::int64_t until = next == changes_.end() ? end : std::min(next->time_ns, end);
      if (until > now) ns_at[depth] += until - now;
      now = until;
      if (next == changes_.end()) break;
      depth = next->depth;
    }
    times.depth_max = ns_at.rbegin()->first;
    times.empty_share = static_cast<double>(ns_at[0]) / static_cast<double>(end - start);
    std::int64_t passed = 0;
    for (const auto& [at, ns] : ns_at)
      if ((passed += ns) * 2 >= end - start) {
        times.depth_p50 = at;
        return;
      }
  }

  std::vector<Queued> all_;      // by launch
  std::vector<Change> changes_;  // by time
};

using ProcessDevice = std::pair<std::uint32_t, std::uint32_t>;  // process, device

std::map<ProcessDevice, Queue> find_queues(const Run& run, const GpuWorkload& gpu) {
  std::map<ProcessDevice, Queue> queues;
  for (const GpuWork& work : gpu.all()) {
    if (!work.launch) continue;
    const Track& track = run.tracks[work.track];
    const std::int64_t launched = work.launch->end_ns;
    queues[{track.process, device_of(track)}].add(
        {launched, std::max(launched, track.spans.start[work.row])});
  }
  for (auto& [device, queue] : queues) queue.finish();
  return queues;
}

struct QueueRow {
  const Run& run;
  const Step* step;  // null: the row is of an interval of time
  ProcessDevice device;
  QueueTimes times;
};

constexpr ColumnOf<QueueRow> kQueueColumns[] = {
    {"step", "The step's number.",
     [](auto& r) { return r.step ? std::optional(r.step->number) : std::nullopt; }},
    {"phase", "The step's phase.",
     [](auto& r) { return r.step ? std::optional(r.run.strings[r.step->phase]) : std::nullopt; }},
    {"device", "The GPU.", [](auto& r) { return r.device.second; }},
    {"launched", Unit::count, "How much work was launched.",
     [](auto& r) { return r.times.launched; }},
    {"depth_p50", Unit::count, "How much work is in the queue: the median over time.",
     [](auto& r) { return r.times.depth_p50; }},
    {"depth_max", Unit::count, "The most work that was in the queue.",
     [](auto& r) { return r.times.depth_max; }},
    {"empty_share", Unit::share, "The part of the time in which the queue was empty.",
     [](auto& r) { return r.times.empty_share; }},
    {"lead_p50_ns", Unit::ns, "How long launched work was in the queue: the median.",
     [](auto& r) { return r.times.lead_p50_ns; }},
    {"lead_max_ns", Unit::ns, "How long launched work was in the queue at most.",
     [](auto& r) { return r.times.lead_max_ns; }},
    {"pid", "The process.", [](auto& r) { return r.run.processes[r.device.first].pid; }}};
constexpr TableOf<QueueRow> kLaunchQueue{"launch_queue", kQueueColumns};

}  // namespace

Table launch_queue_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = kLaunchQueue.empty("Launched ahead of the GPU" +
                                   from_recorded(analysis.run(), analysis.steps()));
  const std::map<ProcessDevice, Queue> queues = find_queues(run, analysis.gpu());
  for (const Step& step : analysis.steps()) {
    if (step.ops == StepOps::rested) continue;
    for (const auto& [device, queue] : queues)
      if (device.first == run.tracks[step.track].process)
        if (const auto times = queue.within(step.start_ns, step.start_ns + step.wall_ns))
          kLaunchQueue.add(table, {run, &step, device, *times});
  }
  const std::vector<Intervals> by_clock = find_intervals_by_clock(analysis.run(), analysis.steps());
  for (const auto& [device, queue] : queues) {
    const std::vector<Interval>& recorded = by_clock[device.first].parts();
    for (const Interval& part : recorded.empty() && analysis.steps().empty()
                                    ? std::vector<Interval>{{0, run.end_ns}}
                                    : recorded)
      if (const auto times = queue.within(part.start, part.end))
        kLaunchQueue.add(table, {run, nullptr, device, *times});
  }
  return table;
}

constinit const TableDefinition kLaunchQueueTable =
    define_table<kLaunchQueue>("how far the host launches ahead of each GPU, by step",
                               R"(
There is one row a recorded step. Without steps it is one row a recorded interval.

Work is in the queue from the end of its launching call until it starts. While the queue is
empty, a GPU that finishes waits for the host. A depth near 1,024 is the driver's limit:
launches then block, and their time is in `launch` of `breakdown`.)",
                               launch_queue_table);

}  // namespace laptime
