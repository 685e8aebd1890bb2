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

// What one device of one process was given.
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

  // Of a stretch in which something was launched; nothing where nothing was.
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
    std::int64_t depth;  // first the change itself, then, after finish(), the depth from here on
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

using Device = std::pair<std::uint32_t, std::uint32_t>;  // process, device

std::map<Device, Queue> find_queues(const Run& run, const GpuWorkload& gpu) {
  std::map<Device, Queue> queues;
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

Row make_row(const Run& run, Cell step, Cell phase, const Device& device, const QueueTimes& times) {
  return {std::move(step),
          std::move(phase),
          integer_cell(device.second),
          times.launched,
          times.depth_p50,
          times.depth_max,
          times.empty_share,
          times.lead_p50_ns,
          times.lead_max_ns,
          integer_cell(run.processes[device.first].pid)};
}

}  // namespace

Table launch_queue_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"launch_queue",
              "Launched ahead of the GPU" + from_recorded(analysis.run(), analysis.steps()),
              {{"step", ColumnType::integer},
               {"phase", ColumnType::text},
               {"device", ColumnType::integer},
               {"launched", ColumnType::integer, Unit::count},
               {"depth_p50", ColumnType::integer, Unit::count},
               {"depth_max", ColumnType::integer, Unit::count},
               {"empty_share", ColumnType::real, Unit::share},
               {"lead_p50_ns", ColumnType::integer, Unit::ns},
               {"lead_max_ns", ColumnType::integer, Unit::ns},
               {"pid", ColumnType::integer}},
              {}};
  const std::map<Device, Queue> queues = find_queues(run, analysis.gpu());
  for (const Step& step : analysis.steps()) {
    if (step.ops == StepOps::rested) continue;
    for (const auto& [device, queue] : queues)
      if (device.first == run.tracks[step.track].process)
        if (const auto times = queue.within(step.start_ns, step.start_ns + step.wall_ns))
          table.rows.push_back(make_row(run, integer_cell(step.number),
                                        std::string(run.strings[step.phase]), device, *times));
  }
  const std::vector<Stretches> by_clock = find_stretches_by_clock(analysis.run(), analysis.steps());
  for (const auto& [device, queue] : queues) {
    const std::vector<Stretch>& recorded = by_clock[device.first].parts();
    for (const Stretch& part : recorded.empty() && analysis.steps().empty()
                                   ? std::vector<Stretch>{{0, run.end_ns}}
                                   : recorded)
      if (const auto times = queue.within(part.start, part.end))
        table.rows.push_back(make_row(run, kUnknown, kUnknown, device, *times));
  }
  return table;
}

}  // namespace laptime
