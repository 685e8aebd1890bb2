#include "collect/python/budget.h"

#include <algorithm>

#include "collect/python/usable_time.h"

namespace laptime::python {

namespace {
constexpr double kGraceSeconds = 0.002;   // start-up may cost this at once
constexpr double kBucketSeconds = 0.020;  // at most this is ever saved up
}  // namespace

void Budget::start(double share, double ticks_per_second, std::uint64_t now) {
  share_ = share;
  ticks_per_second_ = ticks_per_second;
  balance_ = kGraceSeconds * ticks_per_second;
  capacity_ = kBucketSeconds * ticks_per_second;
  filled_at_ = now;
}

bool Budget::spend(std::int64_t events, double ticks_per_event, std::uint64_t now) {
  if (!limited()) return true;
  const std::uint64_t elapsed =
      now > filled_at_ ? usable_ticks(now - filled_at_, ticks_per_second_) : 0;
  filled_at_ = now;
  balance_ = std::min(capacity_, balance_ + share_ * static_cast<double>(elapsed));
  const double cost = static_cast<double>(events) * ticks_per_event;
  balance_ -= cost;
  paid_.fetch_add(static_cast<std::uint64_t>(cost), std::memory_order_relaxed);
  return balance_ >= 0;
}

}  // namespace laptime::python
