#include "base/bootstrap.h"

#include <gtest/gtest.h>
#include <cmath>
#include <random>
#include <vector>

namespace laptime {
namespace {

// Step times with slow drift, noise and a tail of slow ones, like real ones.
std::vector<std::int64_t> steps(std::size_t count, double median_ns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> tremble(0, 0.03);
  std::exponential_distribution<double> tail(20);
  std::vector<std::int64_t> times;
  double drift = 0;
  for (std::size_t i = 0; i < count; ++i) {
    drift = 0.9 * drift + 0.3 * tremble(random);
    times.push_back(
        static_cast<std::int64_t>(median_ns * (1 + drift + tremble(random)) * (1 + tail(random))));
  }
  return times;
}

TEST(CompareMedians, TooFewStepsHaveNoResult) {
  EXPECT_FALSE(compare_medians(steps(7, 1e6, 1), steps(100, 1e6, 2)));
  EXPECT_FALSE(compare_medians(steps(100, 1e6, 1), {}));
  EXPECT_FALSE(compare_medians(std::vector<std::int64_t>(20, 0), steps(20, 1e6, 2)));
}

TEST(CompareMedians, TheSameInputGivesTheSameAnswer) {
  const auto a = steps(200, 1e6, 1), b = steps(150, 1.1e6, 2);
  const auto one = compare_medians(a, b), two = compare_medians(a, b);
  EXPECT_EQ(one->low, two->low);
  EXPECT_EQ(one->high, two->high);
}

TEST(CompareMedians, SteadySeriesGiveANarrowInterval) {
  const auto ratio = compare_medians(std::vector<std::int64_t>(50, 1'000'000),
                                     std::vector<std::int64_t>(50, 1'250'000));
  EXPECT_DOUBLE_EQ(ratio->ratio, 1.25);
  EXPECT_DOUBLE_EQ(ratio->low, 1.25);
  EXPECT_DOUBLE_EQ(ratio->high, 1.25);
}

// A sanitizer checks other things, and makes a pair take twenty times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kFewerTimes = 5;
#else
constexpr int kFewerTimes = 1;
#endif

// 95 % of the intervals must hold the truth. Fewer than 180 of 200 pairs would not be chance.
TEST(CompareMedians, TheIntervalHoldsTheTruth) {
  int held = 0;
  for (std::uint64_t pair = 0; pair < 200 / kFewerTimes; ++pair) {
    const auto ratio =
        compare_medians(steps(300, 1e6, 2 * pair + 1), steps(300, 1.05e6, 2 * pair + 2));
    held += ratio->low <= 1.05 && 1.05 <= ratio->high;
  }
  EXPECT_GE(held, 180 / kFewerTimes);
}

TEST(CompareMedians, FivePercentAreFoundAndNothingIsNot) {
  int found = 0, false_alarms = 0;
  for (std::uint64_t pair = 0; pair < 50 / kFewerTimes; ++pair) {
    const auto same = compare_medians(steps(300, 1e6, 2 * pair + 1), steps(300, 1e6, 2 * pair + 2));
    false_alarms += same->low > 1 + kNegligible || same->high < 1 - kNegligible;
    found +=
        compare_medians(steps(300, 1e6, 2 * pair + 1), steps(300, 1.05e6, 2 * pair + 2))->low > 1;
  }
  EXPECT_LE(false_alarms, 3 / kFewerTimes);
  EXPECT_GE(found, 45 / kFewerTimes);
}

TEST(ComparePaired, WhatAllStepsHaveInCommonIsNoUncertainty) {
  const auto before = steps(300, 1e6, 3);
  std::vector<std::int64_t> after;
  for (const std::int64_t ns : before) after.push_back(ns * 4 / 5);
  const auto paired = compare_paired(before, after), apart = compare_medians(before, after);
  EXPECT_NEAR(paired->ratio, 0.8, 1e-4);
  EXPECT_LT(paired->high - paired->low, 1e-4);
  EXPECT_GT(apart->high - apart->low, 1e-3);
}

TEST(ComparePaired, WhatDiffersFromStepToStepIs) {
  const auto before = steps(5'000, 1e6, 3), part = steps(5'000, 2e5, 4);
  std::vector<std::int64_t> after;
  for (std::size_t i = 0; i < before.size(); ++i) after.push_back(before[i] - part[i]);
  const auto ratio = compare_paired(before, after);
  EXPECT_LT(ratio->low, ratio->ratio);
  EXPECT_GT(ratio->high, ratio->ratio);
  EXPECT_NEAR(ratio->ratio, 0.8, 0.01);
}

TEST(ComparePaired, TooFewOrUnequalHaveNoResult) {
  EXPECT_FALSE(compare_paired(steps(7, 1e6, 1), steps(7, 1e6, 2)));
  EXPECT_FALSE(compare_paired(steps(20, 1e6, 1), steps(21, 1e6, 2)));
}

}  // namespace
}  // namespace laptime
