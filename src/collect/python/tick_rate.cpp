#include "collect/python/tick_rate.h"

#include "base/clock.h"

namespace laptime::python {

double ns_per_tick() {
  static const ClockPoint first = read_clock_point();
  static const double rough = TickScale::calibrate().ns_per_tick();
  if (!kTscChoice.use) return 1.0;
  const ClockPoint now = read_clock_point();
  const std::uint64_t ns = now.monotonic_ns - first.monotonic_ns;
  constexpr std::uint64_t kLongEnough = 20'000'000;
  return ns < kLongEnough ? rough
                          : static_cast<double>(ns) / static_cast<double>(now.ticks - first.ticks);
}

}  // namespace laptime::python
