#include "trace/ranks/ranks.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "format/names.h"
#include "trace/gpu/kernel_names.h"
#include "trace/steps/recorded_part.h"
#include "trace/time/device_time.h"

namespace laptime {

namespace {

// By process: whether it has steps and collectives.
std::vector<bool> processes_with_collectives(const Run& run) {
  std::vector<bool> communicates(run.strings.size());
  for (std::uint32_t id = 0; id < run.strings.size(); ++id)
    communicates[id] = is_collective(run.strings[id]) || is_communication_kernel(run.strings[id]);
  std::vector<bool> steps(run.processes.size()), talks(run.processes.size());
  if (std::find(communicates.begin(), communicates.end(), true) == communicates.end()) return talks;
  for (const Track& track : run.tracks) {
    for (std::size_t row = 0; row < track.spans.size(); ++row) {
      if (track.spans.kind[row] == SpanKind::step) steps[track.process] = true;
      if (communicates[track.spans.name[row]]) talks[track.process] = true;
    }
  }
  for (std::size_t p = 0; p < steps.size(); ++p) steps[p] = steps[p] && talks[p];
  return steps;
}

// By track and number of a step: its GPU that waits longest.
std::map<std::pair<std::uint32_t, std::uint32_t>, const DeviceStep*> waits_of_devices(
    const DeviceSteps& devices) {
  constexpr auto kCommunication = static_cast<std::size_t>(DeviceCategory::communication);
  std::map<std::pair<std::uint32_t, std::uint32_t>, const DeviceStep*> longest;
  for (const DeviceStep& step : devices.all) {
    const DeviceStep*& known = longest[{step.step.track, step.step.number}];
    if (!known || step.exposed[kCommunication] > known->exposed[kCommunication]) known = &step;
  }
  return longest;
}

RankStep rank_step(const HostStep& host, std::size_t position, const DeviceStep* device) {
  constexpr auto kHost = static_cast<std::size_t>(HostCategory::communication),
                 kDevice = static_cast<std::size_t>(DeviceCategory::communication);
  if (device && device->exposed[kDevice] > host.exposed[kHost])
    return {&host, position, device->exposed[kDevice], device->overlapped[kDevice]};
  return {&host, position, host.exposed[kHost], host.overlapped[kHost]};
}

}  // namespace

bool has_several_ranks(const Run& run) {
  const std::vector<bool> ranks = processes_with_collectives(run);
  return std::count(ranks.begin(), ranks.end(), true) > 1;
}

std::vector<Rank> find_ranks(const Run& run, const std::vector<HostStep>& steps,
                             const DeviceSteps& device_steps) {
  const std::vector<bool> is_rank = processes_with_collectives(run);
  const auto devices = waits_of_devices(device_steps);
  const auto& left_out = device_steps.left_out;
  std::vector<Rank> ranks;
  for (std::uint32_t process = 0; process < run.processes.size(); ++process) {
    const auto main_phase = is_rank[process] ? find_main_phase(run, steps, process) : std::nullopt;
    if (!main_phase) continue;
    Rank rank{property_number(run.processes[process].properties, property::kRank),
              process,
              *main_phase,
              {}};
    std::size_t next = 0;
    for (const HostStep& s : steps) {
      if (phase_of(s.step) != *main_phase) continue;
      const std::size_t position = next++;
      if (!s.step.counts || !(s.has_ops || s.sources.gpu) ||
          left_out.contains({s.step.track, s.step.number}))
        continue;
      const auto device = devices.find({s.step.track, s.step.number});
      rank.steps.push_back(
          rank_step(s, position, device == devices.end() ? nullptr : device->second));
    }
    ranks.push_back(std::move(rank));
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) {
    return a.number.value_or(INT64_MAX) < b.number.value_or(INT64_MAX);
  });
  return ranks;
}

std::optional<std::int64_t> rank_of_track(const Run& run, const std::vector<Rank>& ranks,
                                          std::uint32_t track) {
  const auto rank = std::find_if(ranks.begin(), ranks.end(), [&](const Rank& r) {
    return r.process == run.tracks[track].process;
  });
  return ranks.size() < 2 || rank == ranks.end() ? std::nullopt : rank->number;
}

std::vector<std::vector<RankStep>> common_steps(const std::vector<Rank>& ranks) {
  std::map<std::size_t, std::vector<RankStep>> by_position;
  for (const Rank& rank : ranks)
    for (const RankStep& step : rank.steps) by_position[step.position].push_back(step);
  std::vector<std::vector<RankStep>> common;
  for (auto& [position, steps] : by_position)
    if (steps.size() == ranks.size()) common.push_back(std::move(steps));
  return common;
}

}  // namespace laptime
