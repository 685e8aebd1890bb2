#include "base/clock.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(Clock, TicksRiseAndAreNeverZero) {
  std::uint64_t last = ticks();
  EXPECT_NE(last, 0u);
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t now = ticks();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(TickScale, ConvertsBothSidesOfItsOrigin) {
  const TickScale scale = TickScale::from_rate(1'000'000, 0.5);
  EXPECT_EQ(scale.to_ns(1'000'000), 0u);
  EXPECT_EQ(scale.to_ns(1'000'010), 5u);
  EXPECT_EQ(static_cast<std::int64_t>(scale.to_ns(999'990)), -5);
}

TEST(TickScale, StaysMonotonicOverADay) {
  const TickScale scale = TickScale::from_rate(0, 1.0 / 2.8);
  constexpr std::uint64_t kDay = 86'400ull * 2'800'000'000ull;
  EXPECT_NEAR(static_cast<double>(scale.to_ns(kDay)), 86'400e9,
              86'400.0);  // within a part in a billion
  EXPECT_LE(scale.to_ns(kDay), scale.to_ns(kDay + 3));
}

TEST(TickScale, CalibrationAgreesWithTheMonotonicClock) {
  const TickScale scale = TickScale::calibrate();
  const ClockPoint a = read_clock_point();
  while (monotonic_ns() - a.monotonic_ns < 20'000'000) {
  }
  const ClockPoint b = read_clock_point();
  const double by_ticks = static_cast<double>(scale.to_ns(b.ticks) - scale.to_ns(a.ticks));
  EXPECT_NEAR(by_ticks / static_cast<double>(b.monotonic_ns - a.monotonic_ns), 1.0, 0.05);
}

}  // namespace
}  // namespace laptime
