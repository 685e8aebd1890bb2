#include "analyze/device_breakdown.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/gpu_work.h"
#include "analyze/host_time.h"
#include "analyze/kernel_names.h"
#include "analyze/percentile.h"
#include "analyze/stretches.h"
#include "analyze/typical.h"

namespace laptime {

namespace {

// Stretches with the sum of all before each, to measure how much of a window they cover.
class Covered {
 public:
  explicit Covered(std::vector<Stretch> parts) : stretches_(std::move(parts)) {
    sums_.push_back(0);
    for (const Stretch& part : parts_()) sums_.push_back(sums_.back() + part.end - part.start);
  }
  std::int64_t within(std::int64_t start, std::int64_t end) const { return end <= start ? 0 : before(end) - before(start); }
  bool contains(std::int64_t time) const { return stretches_.overlaps(time, time + 1); }
  // Calls visit(start, end) for each part of the window that is not covered.
  template <typename Visit>
  void for_each_gap(std::int64_t start, std::int64_t end, Visit visit) const {
    auto part = std::upper_bound(parts_().begin(), parts_().end(), start, [](std::int64_t t, const Stretch& s) { return t < s.end; });
    for (std::int64_t at = start; at < end; at = part++->end) {
      const std::int64_t next = part == parts_().end() ? end : std::min(part->start, end);
      if (next > at) visit(at, next);
      if (next == end) break;
    }
  }

 private:
  const std::vector<Stretch>& parts_() const { return stretches_.parts(); }
  std::int64_t before(std::int64_t time) const {
    const auto after = std::upper_bound(parts_().begin(), parts_().end(), time, [](std::int64_t t, const Stretch& s) { return t < s.start; });
    if (after == parts_().begin()) return 0;
    const Stretch& last = *(after - 1);
    return sums_[static_cast<std::size_t>(after - 1 - parts_().begin())] + std::min(time, last.end) - last.start;
  }

  Stretches stretches_;
  std::vector<std::int64_t> sums_;
};

std::size_t index(DeviceCategory category) { return static_cast<std::size_t>(category); }

std::vector<Stretch> joined(std::vector<Stretch> a, const std::vector<Stretch>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// All work of one device of one process.
struct DeviceWork {
  std::vector<Stretch> compute, communication, copies;
  struct Start {
    std::int64_t start_ns, launched_ns;  // launched_ns: INT64_MIN unknown
  };
  std::vector<Start> starts;
};

class DeviceTime {
 public:
  explicit DeviceTime(DeviceWork work)
      : starts_(std::move(work.starts)),
        compute_(work.compute),
        communication_(work.communication),
        copies_(work.copies),
        with_communication_(joined(work.compute, work.communication)),
        busy_(joined(joined(work.compute, work.communication), work.copies)) {
    std::sort(starts_.begin(), starts_.end(), [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  }

  bool works_in(const Step& step) const { return busy_.within(step.start_ns, step.start_ns + step.wall_ns) > 0; }

  DeviceStep split(const Step& step, std::uint32_t device, const Covered& input, const Covered& syncs) const {
    DeviceStep result{step, device, {}, {}};
    const std::int64_t start = step.start_ns, end = start + step.wall_ns;
    const std::int64_t compute = compute_.within(start, end), with_communication = with_communication_.within(start, end), busy = busy_.within(start, end);
    result.exposed[index(DeviceCategory::compute)] = compute;
    result.exposed[index(DeviceCategory::communication)] = with_communication - compute;
    result.exposed[index(DeviceCategory::copies)] = busy - with_communication;
    result.overlapped[index(DeviceCategory::communication)] = communication_.within(start, end) - (with_communication - compute);
    result.overlapped[index(DeviceCategory::copies)] = copies_.within(start, end) - (busy - with_communication);
    busy_.for_each_gap(start, end, [&](std::int64_t from, std::int64_t to) {
      const std::int64_t waiting = input.within(from, to);
      result.exposed[index(DeviceCategory::idle_input)] += waiting;
      result.exposed[index(reason(from, to, syncs))] += to - from - waiting;
    });
    return result;
  }

 private:
  DeviceCategory reason(std::int64_t from, std::int64_t to, const Covered& syncs) const {
    if (syncs.contains(from)) return DeviceCategory::idle_sync;
    const auto next = std::lower_bound(starts_.begin(), starts_.end(), to, [](const DeviceWork::Start& s, std::int64_t t) { return s.start_ns < t; });
    return next != starts_.end() && next->launched_ns > from ? DeviceCategory::idle_launches : DeviceCategory::idle_other;
  }

  std::vector<DeviceWork::Start> starts_;
  Covered compute_, communication_, copies_, with_communication_, busy_;
};

std::vector<Stretch> spans_of_kind(const Track& track, SpanKind kind) {
  std::vector<Stretch> found;
  for (std::size_t row = 0; row < track.spans.size(); ++row)
    if (track.spans.kind[row] == kind) found.push_back({track.spans.start[row], track.spans.end(row)});
  return found;
}

using Device = std::pair<std::uint32_t, std::uint32_t>;  // process, device

std::map<Device, DeviceTime> device_times(const Run& run, const GpuWorkload& gpu) {
  std::map<Device, DeviceWork> works;
  std::map<std::uint32_t, bool> communicates;  // by name
  for (const GpuWork& work : gpu.all()) {
    const Track& track = run.tracks[work.track];
    const SpanColumns& spans = track.spans;
    DeviceWork& device = works[{track.process, device_of(track)}];
    const Stretch stretch{spans.start[work.row], spans.end(work.row)};
    const auto [it, is_new] = communicates.try_emplace(spans.name[work.row]);
    if (is_new) it->second = is_communication_kernel(run.strings[it->first]);
    const SpanKind kind = it->second ? SpanKind::communication : spans.kind[work.row];
    (kind == SpanKind::kernel ? device.compute : kind == SpanKind::communication ? device.communication : device.copies).push_back(stretch);
    device.starts.push_back({stretch.start, work.launch ? work.launch->end_ns : INT64_MIN});
  }
  std::map<Device, DeviceTime> times;
  for (auto& [device, work] : works) times.emplace(device, DeviceTime(std::move(work)));
  return times;
}

const char* category_name(DeviceCategory category) {
  switch (category) {
    case DeviceCategory::compute: return "compute";
    case DeviceCategory::communication: return "communication";
    case DeviceCategory::copies: return "copies";
    case DeviceCategory::idle_input: return "idle: input";
    case DeviceCategory::idle_sync: return "idle: sync";
    case DeviceCategory::idle_launches: return "idle: launches";
    case DeviceCategory::idle_other: return "idle: other";
  }
  return "";
}

using Steps = std::vector<const DeviceStep*>;

// `rested`: a mean step's wall time by that of a recorded one.
void add_rows(const Run& run, const std::string& view, const Steps& steps, double rested, Table& table) {
  const auto count = static_cast<double>(steps.size());
  const double wall = mean_wall_ns(steps) * rested;
  const DeviceScale scale(steps, wall);
  for (std::size_t category = 0; category < kDeviceCategories; ++category) {
    double exposed = 0, overlapped = 0;
    std::vector<std::int64_t> times;
    for (const DeviceStep* step : steps) {
      times.push_back(step->exposed[category]);
      exposed += static_cast<double>(step->exposed[category]) / count;
      overlapped += static_cast<double>(step->overlapped[category]) / count;
    }
    if (exposed == 0 && overlapped == 0) continue;
    exposed *= scale.of(static_cast<DeviceCategory>(category));
    Row row{view, category_name(static_cast<DeviceCategory>(category)), exposed, ratio_cell(exposed, wall), exposed, overlapped,
            std::string(run.strings[steps.front()->step.phase]), integer_cell(steps.size())};
    for (const double share : kSpread) row.push_back(take_percentile(times, share));
    table.rows.push_back(std::move(row));
  }
}

// A mean step's wall time by that of one whose recording did not rest, by phase.
std::map<std::uint32_t, double> rested_shares(const Analysis& analysis) {
  std::map<std::uint32_t, std::vector<const HostStep*>> phases;
  for (const HostStep& step : analysis.host_steps()) phases[step.step.phase].push_back(&step);
  std::map<std::uint32_t, double> shares;
  for (const auto& [phase, steps] : phases) {
    const auto recorded = select_steps(steps, [](const HostStep& s) { return s.step.ops != StepOps::rested; });
    const double ns = recorded.empty() ? 0 : mean_wall_ns(typical_steps(recorded));
    shares[phase] = ns > 0 ? mean_wall_ns(typical_steps(steps)) / ns : 1;
  }
  return shares;
}

}  // namespace

DeviceScale::DeviceScale(const Steps& steps, double wall_ns) {
  double busy = 0;
  for (const DeviceStep* step : steps)
    for (const DeviceCategory category : {DeviceCategory::compute, DeviceCategory::communication, DeviceCategory::copies})
      busy += static_cast<double>(step->exposed[index(category)]) / static_cast<double>(steps.size());
  const double recorded = mean_wall_ns(steps), idles = recorded - busy;
  if (recorded < wall_ns) {
    work = idle = wall_ns / recorded;
    return;
  }
  work = busy > wall_ns ? wall_ns / busy : 1;
  idle = idles > 0 ? std::max(0.0, wall_ns - busy) / idles : 1;
}

std::vector<DeviceStep> split_device_steps(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::vector<DeviceStep> result;
  const std::map<Device, DeviceTime> times = device_times(run, analysis.gpu());
  if (times.empty()) return result;
  std::vector<std::vector<Stretch>> syncs(run.processes.size());
  for (const Track& track : run.tracks)
    for (const Stretch& sync : spans_of_kind(track, SpanKind::sync)) syncs[track.process].push_back(sync);
  std::map<std::uint32_t, Covered> inputs, waits;  // by track, by process
  const auto covered = [](std::map<std::uint32_t, Covered>& known, std::uint32_t key, const auto& make) -> const Covered& {
    const auto it = known.find(key);
    return it != known.end() ? it->second : known.emplace(key, Covered(make())).first->second;
  };
  for (const Step& step : analysis.steps()) {
    if (step.ops == StepOps::rested) continue;
    const std::uint32_t process = run.tracks[step.track].process;
    const Covered& input = covered(inputs, step.track, [&] { return spans_of_kind(run.tracks[step.track], SpanKind::loader); });
    const Covered& wait = covered(waits, process, [&] { return syncs[process]; });
    for (const auto& [device, time] : times)
      if (device.first == process && time.works_in(step)) result.push_back(time.split(step, device.second, input, wait));
  }
  return result;
}

void add_device_rows(const Analysis& analysis, Table& table) {
  const std::vector<DeviceStep>& all = analysis.device_steps();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Steps> groups;  // device, phase
  std::set<std::uint32_t> devices;
  for (const DeviceStep& step : all) {
    groups[{step.device, step.step.phase}].push_back(&step);
    devices.insert(step.device);
  }
  const std::map<std::uint32_t, double> rested = rested_shares(analysis);
  for (const auto& [key, steps] : groups)
    add_rows(analysis.run(), devices.size() == 1 ? "device" : "device " + std::to_string(key.first), typical_steps(steps), rested.at(key.second), table);
}

}  // namespace laptime
