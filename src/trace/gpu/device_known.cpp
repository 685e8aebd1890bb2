#include "trace/gpu/device_known.h"

#include <algorithm>

namespace laptime {

void DeviceKnown::add(std::uint32_t stream, const Queued& work) {
  const std::size_t rests = rests_before(work.called_ns);
  if (rests == 0) return;
  const auto [first, is_new] = first_.try_emplace({rests, stream}, work);
  if (!is_new && work.start_ns < first->second.start_ns) first->second = work;
}

void DeviceKnown::finish(const Covered& busy) {
  for (const auto& [key, work] : first_) {
    const std::int64_t free_since = std::max(busy.covered_until(work.start_ns), work.launched_ns);
    if (work.start_ns - free_since <= kIdleLatency) continue;
    std::int64_t& from = known_from_.try_emplace(key.first, INT64_MIN).first->second;
    from = std::max(from, work.start_ns);
  }
}

std::int64_t DeviceKnown::recorded_since(std::int64_t time) const {
  const std::size_t rests = rests_before(time);
  return rests == 0 ? INT64_MIN : left_out_->parts()[rests - 1].end;
}

bool DeviceKnown::knows(std::int64_t time) const {
  const auto from = known_from_.find(rests_before(time));
  return from == known_from_.end() || time >= from->second;
}

std::size_t DeviceKnown::rests_before(std::int64_t time) const {
  const auto& parts = left_out_->parts();
  const auto after =
      std::upper_bound(parts.begin(), parts.end(), time,
                       [](std::int64_t t, const Interval& s) { return t < s.start; });
  return static_cast<std::size_t>(after - parts.begin());
}

}  // namespace laptime
