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
        values_.push_back({track.values.time[i],
                           static_cast<std::uint64_t>(std::min(track.values.value[i], 1e18))});
  }
  std::stable_sort(values_.begin(), values_.end(),
                   [](const Value& a, const Value& b) { return a.time_ns < b.time_ns; });
}

std::optional<std::uint64_t> ReservedMemory::at(std::int64_t time_ns) const {
  const auto after =
      std::upper_bound(values_.begin(), values_.end(), time_ns,
                       [](std::int64_t time, const Value& value) { return time < value.time_ns; });
  return after == values_.begin() ? std::nullopt : std::optional((after - 1)->bytes);
}

std::optional<std::uint64_t> ReservedMemory::most(std::int64_t start_ns,
                                                  std::int64_t end_ns) const {
  std::optional<std::uint64_t> most = at(start_ns);
  auto value = std::upper_bound(values_.begin(), values_.end(), start_ns,
                                [](std::int64_t time, const Value& v) { return time < v.time_ns; });
  for (; value != values_.end() && value->time_ns < end_ns; ++value)
    most = std::max(most.value_or(0), value->bytes);
  return most;
}

}  // namespace laptime
