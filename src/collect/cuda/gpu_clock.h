// The clock that CUPTI uses, so that its records need no alignment: the recorder's ticks as
// nanoseconds.
//
// Contract: to_ticks inverts now to within a tick. The rate is fixed when the clock is made. Its
// error is corrected when a run is read, as for all ticks.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace laptime::cuda {

class GpuClock {
 public:
  explicit GpuClock(TickScale scale = TickScale::calibrate())
      : scale_(scale), base_ns_(monotonic_ns() + kFarFromZero) {}

  std::uint64_t now() const { return to_ns(ticks()); }
  std::uint64_t to_ns(std::uint64_t t) const { return base_ns_ + scale_.to_ns(t); }
  std::uint64_t to_ticks(std::uint64_t ns) const {
    const double since =
        static_cast<double>(static_cast<std::int64_t>(ns - base_ns_)) / scale_.ns_per_tick();
    return scale_.origin_ticks() + static_cast<std::uint64_t>(static_cast<std::int64_t>(since));
  }

 private:
  // Keeps times of work that began before the clock was made above 0, which CUPTI uses for
  // "unknown".
  static constexpr std::uint64_t kFarFromZero = 1ull << 40;

  TickScale scale_;
  std::uint64_t base_ns_;
};

}  // namespace laptime::cuda
