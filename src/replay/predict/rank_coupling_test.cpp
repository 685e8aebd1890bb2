#include "replay/predict/rank_coupling.h"

#include <gtest/gtest.h>

namespace laptime::replay {
namespace {

CategoryTimes step(std::int64_t python, std::int64_t communication) {
  CategoryTimes times{};
  times[static_cast<std::size_t>(HostCategory::rest)] = python;
  times[static_cast<std::size_t>(HostCategory::communication)] = communication;
  return times;
}

// Two ranks: the second has 8 more own work. The network takes 2.
const StepTimes kFast{step(10, 10), step(10, 10)}, kSlow{step(18, 2), step(18, 2)};
const std::vector<const StepTimes*> kPlain{&kFast, &kSlow};
const RankCoupling kBothSteps({0, 1}, {0, 1});

TEST(RankCoupling, WithoutAChangeAllWaitAsTheyDid) {
  std::vector<StepTimes> times{kFast, kSlow};
  kBothSteps.couple(kPlain, times);
  EXPECT_EQ(times[0], kFast);
  EXPECT_EQ(times[1], kSlow);
}

TEST(RankCoupling, WhatTheLastRankIsSparedAllAre) {
  std::vector<StepTimes> times{kFast, {step(10, 2), step(13, 2)}};
  kBothSteps.couple(kPlain, times);
  EXPECT_EQ(times[0], (StepTimes{step(10, 2), step(10, 5)}));
  EXPECT_EQ(times[1], (StepTimes{step(10, 2), step(13, 2)}));
}

TEST(RankCoupling, WhatAnotherIsSparedItWaits) {
  std::vector<StepTimes> times{{step(4, 10), step(4, 10)}, kSlow};
  kBothSteps.couple(kPlain, times);
  EXPECT_EQ(times[0], (StepTimes{step(4, 16), step(4, 16)}));
}

TEST(RankCoupling, AnotherMayBeTheLastThen) {
  std::vector<StepTimes> times{kFast, {step(3, 2), step(3, 2)}};
  kBothSteps.couple(kPlain, times);
  EXPECT_EQ(times[0], (StepTimes{step(10, 2), step(10, 2)}));
  EXPECT_EQ(times[1], (StepTimes{step(3, 9), step(3, 9)}));
  EXPECT_EQ(kBothSteps.last(times), 0u);
  EXPECT_EQ(kBothSteps.last({kFast, kSlow}), 1u);
  EXPECT_EQ(RankCoupling({}, {}).last({kFast, kSlow}), std::nullopt);
  EXPECT_EQ(RankCoupling({0, 1}, {}).last({kFast, kSlow}), std::nullopt)
      << "no step is known of both";
}

TEST(RankCoupling, FasterWiresDoNotMakeTheLastRankSooner) {
  std::vector<StepTimes> times{{step(10, 5), step(10, 5)}, {step(18, 1), step(18, 1)}};
  kBothSteps.couple(kPlain, times);
  EXPECT_EQ(times[0], (StepTimes{step(10, 9), step(10, 9)}));
  EXPECT_EQ(times[1], (StepTimes{step(18, 1), step(18, 1)}));
}

TEST(RankCoupling, StepsThatOneRankAloneRecordedGoAsTheOthersDo) {
  std::vector<StepTimes> times{kFast, {step(8, 2), step(8, 2)}};
  RankCoupling({0, 1}, {0}).couple(kPlain, times);
  EXPECT_EQ(times[0], (StepTimes{step(10, 2), step(6, 6)}));
}

TEST(RankCoupling, WithoutRanksNothingIsChanged) {
  std::vector<StepTimes> times{{step(4, 10), step(4, 10)}, kSlow};
  RankCoupling({}, {}).couple(kPlain, times);
  EXPECT_EQ(times[0], (StepTimes{step(4, 10), step(4, 10)}));
}

}  // namespace
}  // namespace laptime::replay
