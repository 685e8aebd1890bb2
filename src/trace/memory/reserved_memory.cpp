#include "trace/memory/reserved_memory.h"

#include <algorithm>

#include "format/device.h"

namespace laptime {

ReservedMemory::ReservedMemory(const Run& run, std::uint32_t process, std::uint32_t device) {
  const std::uint32_t name = run.strings.find(reserved_name(run.strings[device]));
  for (const Track& track : run.tracks) {
    if (track.process != process) continue;
    for (std::size_t i = 0; i < track.values.size(); ++i)
      if (track.values.name[i] == name && track.values.value[i] >= 0)
        told_.push_back({track.values.time[i],
                         static_cast<std::uint64_t>(std::min(track.values.value[i], 1e18))});
  }
  std::stable_sort(told_.begin(), told_.end(),
                   [](const Told& a, const Told& b) { return a.time_ns < b.time_ns; });
}

std::optional<std::uint64_t> ReservedMemory::at(std::int64_t time_ns) const {
  const auto after =
      std::upper_bound(told_.begin(), told_.end(), time_ns,
                       [](std::int64_t time, const Told& told) { return time < told.time_ns; });
  return after == told_.begin() ? std::nullopt : std::optional((after - 1)->bytes);
}

std::optional<std::uint64_t> ReservedMemory::most(std::int64_t start_ns,
                                                  std::int64_t end_ns) const {
  std::optional<std::uint64_t> most = at(start_ns);
  auto told = std::upper_bound(told_.begin(), told_.end(), start_ns,
                               [](std::int64_t time, const Told& t) { return time < t.time_ns; });
  for (; told != told_.end() && told->time_ns < end_ns; ++told)
    most = std::max(most.value_or(0), told->bytes);
  return most;
}

}  // namespace laptime
