#include "trace/run/clock_map.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(ClockMap, IsTheIdentityWithoutPoints) {
  EXPECT_EQ(ClockMap()(12345), 12345);
  EXPECT_EQ(ClockMap(std::vector<ClockFact>{})(-7), -7);
}

TEST(ClockMap, OnePointGivesAnOffset) {
  const ClockMap map({{100, 5000, 0}});
  EXPECT_EQ(map(100), 5000);
  EXPECT_EQ(map(0), 4900);
  EXPECT_EQ(map(1000), 5900);
}

TEST(ClockMap, IsExactAtThePointsAndLinearBetween) {
  const ClockMap map(
      {{0, 1000, 0}, {kSecond, 1000 + kSecond + 500, 0}, {2 * kSecond, 1000 + 2 * kSecond, 0}});
  EXPECT_EQ(map(0), 1000);
  EXPECT_EQ(map(kSecond / 2), 1000 + kSecond / 2 + 250);
  EXPECT_EQ(map(kSecond), 1000 + kSecond + 500);
  EXPECT_EQ(map(2 * kSecond), 1000 + 2 * kSecond);
  EXPECT_EQ(map(3 * kSecond), 1000 + 3 * kSecond - 500) << "the last piece goes on";
}

TEST(ClockMap, NeverTurnsTimesAround) {
  const ClockMap map({{0, 0, 0}, {20'000'000, 19'999'000, 0}, {40'000'000, 40'003'000, 0}});
  ClockMap::Cursor cursor(map);
  std::int64_t previous = cursor(-1);
  for (std::int64_t t = 0; t < 50'000'000; t += (t > 19'990'000 && t < 20'010'000) ? 1 : 997) {
    const std::int64_t mapped = cursor(t);
    ASSERT_GE(mapped, previous) << t;
    ASSERT_EQ(mapped, map(t));
    previous = mapped;
  }
}

TEST(ClockMap, LeavesOutPointsThatMakeNoSense) {
  const ClockMap map(
      {{0, 1000, 0}, {kSecond, 500, 0}, {INT64_MAX, INT64_MIN, 0}, {5, 7'000'000, 0}});
  EXPECT_EQ(map(0), 1000);
  EXPECT_EQ(map(kSecond), kSecond + 1000);
}

TEST(ClockMap, Shifts) {
  ClockMap map({{0, 1000, 0}, {kSecond, kSecond + 1000, 0}});
  map.shift(-1000);
  EXPECT_EQ(map(0), 0);
  EXPECT_EQ(map(kSecond), kSecond);
}

}  // namespace
}  // namespace laptime
