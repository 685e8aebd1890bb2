#include "trace/time/device_time.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "trace/gpu/device_known.h"
#include "trace/gpu/gpu_waits.h"
#include "trace/gpu/gpu_work.h"
#include "trace/gpu/kernel_names.h"
#include "trace/run/covered.h"
#include "trace/steps/recorded_part.h"
#include "trace/time/input_waits.h"

namespace laptime {

namespace {

std::vector<Interval> joined(std::vector<Interval> a, const std::vector<Interval>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr std::int64_t kUnknownLaunch = INT64_MIN;

// The earliest moment at which the work could run. The call of a blocking copy lasts until it has
// run.
std::int64_t launched_ns(const GpuWork& work) {
  return !work.launch ? kUnknownLaunch : work.waits ? work.launch->start_ns : work.launch->end_ns;
}

// All work of one device of one process.
struct DeviceWork {
  explicit DeviceWork(const Intervals& left_out) : known(left_out) {}

  std::vector<Interval> compute, communication, copies;
  struct Start {
    std::int64_t start_ns, launched_ns;
  };
  std::vector<Start> starts;
  DeviceKnown known;
};

class DeviceTime {
 public:
  explicit DeviceTime(DeviceWork work)
      : starts_(std::move(work.starts)),
        known_(std::move(work.known)),
        compute_(work.compute),
        communication_(work.communication),
        copies_(work.copies),
        with_communication_(joined(work.compute, work.communication)),
        busy_(joined(joined(work.compute, work.communication), work.copies)) {
    std::sort(starts_.begin(), starts_.end(), [](const auto& a, const auto& b) {
      return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.launched_ns < b.launched_ns;
    });
    for (const DeviceWork::Start& start : starts_) launched_.push_back(start.launched_ns);
    std::sort(launched_.begin(), launched_.end());
    known_.finish(busy_);
  }

  // Whether the device works in the step or gets work in it.
  bool works_in(const Step& step) const {
    const std::int64_t end = step.start_ns + step.wall_ns;
    const auto launched = std::lower_bound(launched_.begin(), launched_.end(), step.start_ns);
    return busy_.within(step.start_ns, end) > 0 || (launched != launched_.end() && *launched < end);
  }
  bool is_known(const Step& step) const { return known_.knows(step.start_ns); }

  DeviceStep split(const Step& step, std::uint32_t device, const Covered& input,
                   const Covered& waits) const {
    DeviceStep result{step, device, {}, {}};
    const std::int64_t start = step.start_ns, end = start + step.wall_ns;
    const std::int64_t compute = compute_.within(start, end),
                       with_communication = with_communication_.within(start, end),
                       busy = busy_.within(start, end);
    result.exposed[index(DeviceCategory::compute)] = compute;
    result.exposed[index(DeviceCategory::communication)] = with_communication - compute;
    result.exposed[index(DeviceCategory::copies)] = busy - with_communication;
    result.overlapped[index(DeviceCategory::communication)] =
        communication_.within(start, end) - (with_communication - compute);
    result.overlapped[index(DeviceCategory::copies)] =
        copies_.within(start, end) - (busy - with_communication);
    const std::int64_t recorded_since = known_.recorded_since(start);
    busy_.for_each_gap(start, end, [&](std::int64_t from, std::int64_t to) {
      const std::int64_t began = std::max(busy_.covered_until(from), recorded_since),
                         waiting = input.within(from, to);
      result.exposed[index(DeviceCategory::idle_input)] += waiting;
      result.exposed[index(reason(began, to, waits))] += to - from - waiting;
    });
    return result;
  }

 private:
  // The reason for an idle interval from `began` to `to`.
  DeviceCategory reason(std::int64_t began, std::int64_t to, const Covered& waits) const {
    const auto next =
        std::lower_bound(starts_.begin(), starts_.end(), to,
                         [](const DeviceWork::Start& s, std::int64_t t) { return s.start_ns < t; });
    const bool follows = next != starts_.end(),
               is_unknown = follows && next->launched_ns == kUnknownLaunch;
    if (follows && !is_unknown && next->launched_ns <= began) return DeviceCategory::idle_other;
    if (waits.contains(began)) return DeviceCategory::idle_sync;
    return is_unknown ? DeviceCategory::idle_other : DeviceCategory::idle_launches;
  }

  std::vector<DeviceWork::Start> starts_;
  std::vector<std::int64_t> launched_;  // rising
  DeviceKnown known_;
  Covered compute_, communication_, copies_, with_communication_, busy_;
};

using ProcessDevice = std::pair<std::uint32_t, std::uint32_t>;  // process, device

std::map<ProcessDevice, DeviceTime> device_times(const Run& run, const GpuWorkload& gpu,
                                                 const std::vector<Intervals>& left_out) {
  std::map<ProcessDevice, DeviceWork> works;
  std::map<std::uint32_t, bool> communicates;  // by name
  for (const GpuWork& work : gpu.all()) {
    const Track& track = run.tracks[work.track];
    const SpanColumns& spans = track.spans;
    DeviceWork& device =
        works.try_emplace({track.process, device_of(track)}, left_out[track.process]).first->second;
    const Interval interval{spans.start[work.row], spans.end(work.row)};
    const auto [it, is_new] = communicates.try_emplace(spans.name[work.row]);
    if (is_new) it->second = is_communication_kernel(run.strings[it->first]);
    (it->second                                 ? device.communication
     : spans.kind[work.row] == SpanKind::kernel ? device.compute
                                                : device.copies)
        .push_back(interval);
    device.starts.push_back({interval.start, launched_ns(work)});
    if (work.launch)
      device.known.add(work.track, {work.launch->start_ns, launched_ns(work), interval.start});
  }
  std::map<ProcessDevice, DeviceTime> times;
  for (auto& [device, work] : works) times.emplace(device, DeviceTime(std::move(work)));
  return times;
}

// By process.
std::vector<Covered> covered_by_waits(const Run& run, const std::vector<GpuWait>& gpu_waits) {
  std::vector<std::vector<Interval>> waits(run.processes.size());
  for (const GpuWait& wait : gpu_waits)
    waits[run.tracks[wait.track].process].push_back({wait.start_ns, wait.end_ns});
  return {std::make_move_iterator(waits.begin()), std::make_move_iterator(waits.end())};
}

std::vector<Interval> input_waits(const Run& run, std::uint32_t track) {
  std::vector<Interval> found;
  for (const InputWait& wait : find_input_waits(run, track))
    found.push_back({wait.start, wait.end});
  return found;
}

// The devices that work in any recorded step of a phase.
class PhaseDevices {
 public:
  PhaseDevices(const Run& run, const std::vector<Step>& steps,
               const std::map<ProcessDevice, DeviceTime>& times)
      : run_(run) {
    for (const Step& step : steps)
      for (const auto& [device, time] : times)
        if (device.first == run.tracks[step.track].process && step.ops != StepOps::rested &&
            time.works_in(step))
          phases_.insert({device, step.phase});
  }
  bool has(const ProcessDevice& device, const Step& step) const {
    return device.first == run_.tracks[step.track].process &&
           phases_.contains({device, step.phase});
  }

 private:
  const Run& run_;
  std::set<std::pair<ProcessDevice, std::uint32_t>> phases_;
};

}  // namespace

DeviceSteps split_device_steps(const Run& run, const std::vector<Step>& steps,
                               const GpuWorkload& gpu, const std::vector<GpuWait>& gpu_waits) {
  DeviceSteps result;
  const std::vector<Intervals> left_out = find_left_out_of_gpu(run, steps);
  const std::map<ProcessDevice, DeviceTime> times = device_times(run, gpu, left_out);
  if (times.empty()) return result;
  const PhaseDevices devices(run, steps, times);
  const std::vector<Covered> waits = covered_by_waits(run, gpu_waits);
  std::map<std::uint32_t, Covered> inputs;  // by track
  for (const Step& step : steps) {
    if (step.ops == StepOps::rested) continue;
    auto input = inputs.find(step.track);
    if (input == inputs.end())
      input = inputs.emplace(step.track, Covered(input_waits(run, step.track))).first;
    for (const auto& [device, time] : times) {
      if (!devices.has(device, step)) continue;
      if (time.is_known(step))
        result.all.push_back(time.split(step, device.second, input->second, waits[device.first]));
      else
        result.left_out.insert({step.track, step.number});
    }
  }
  return result;
}

}  // namespace laptime
