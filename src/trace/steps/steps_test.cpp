#include "trace/steps/steps.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

std::string kinds(const std::vector<std::int64_t>& walls) {
  std::vector<Step> steps;
  for (const std::int64_t wall : walls)
    steps.push_back({static_cast<std::uint32_t>(steps.size()), 0, 0, 0, wall, std::nullopt});
  std::vector<Step*> pointers;
  for (Step& s : steps) pointers.push_back(&s);
  classify_steps(pointers);
  std::string letters;
  for (const Step& s : steps) letters += "wcsop"[static_cast<int>(s.kind)];
  return letters;
}

TEST(Steps, TheFirstIsWarmupWhereThereAreThree) {
  EXPECT_EQ(kinds({}), "");
  EXPECT_EQ(kinds({100}), "s");
  EXPECT_EQ(kinds({100, 10}), "ss");
  EXPECT_EQ(kinds({100, 100, 100}), "wss");
}

TEST(Steps, LeadingSlowStepsAreWarmupAndLaterOnesOutliers) {
  EXPECT_EQ(kinds({900, 500, 300, 100, 101, 99, 100, 700, 100, 102}), "wwwssssoss");
}

TEST(Steps, TremblingIsNoOutlier) {
  EXPECT_EQ(kinds({100, 1000, 1000, 1000, 1000, 1090, 1000}), "wssssss");
  EXPECT_EQ(kinds({100, 1000, 1000, 1000, 1000, 1110, 1000}), "wssssos");
}

TEST(Steps, AWideSpreadIsNoOutlier) {
  EXPECT_EQ(kinds({100, 80, 120, 100, 140, 60, 110, 90, 180}), "wssssssss");
}

TEST(Steps, RecordedStepsCompareWithRecordedOnes) {
  std::vector<Step> steps;
  for (int i = 0; i < 40; ++i)
    steps.push_back({0, 0, 0, 0, i % 10 == 5 ? 1300 : 1000, std::nullopt,
                     i % 10 == 5 ? StepOps::recorded : StepOps::rested});
  steps[17].wall_ns = 1300;
  std::vector<Step*> pointers;
  for (Step& s : steps) pointers.push_back(&s);
  classify_steps(pointers);
  EXPECT_EQ(steps[25].kind, StepKind::steady);
  EXPECT_EQ(steps[17].kind, StepKind::outlier);
}

constexpr std::int64_t kMillisecond = 1'000'000;

// The steps that count, of 20 that take 100 ms except for those given: step and ms. 0 ms: the step
// compiles.
std::string counted(const std::vector<std::pair<std::size_t, std::int64_t>>& special,
                    std::size_t count = 20) {
  std::vector<Step> steps(count, Step{0, 0, 0, 0, 100 * kMillisecond, std::nullopt});
  for (const auto& [step, wall] : special) {
    if (wall == 0)
      steps[step].kind = StepKind::compile;
    else
      steps[step].wall_ns = wall * kMillisecond;
  }
  std::vector<Step*> pointers;
  for (Step& s : steps) pointers.push_back(&s);
  classify_steps(pointers);
  std::string letters;
  for (const Step& s : steps) letters += s.counts ? '+' : '-';
  return letters;
}

TEST(Steps, AllCountButWarmupAndPauses) {
  EXPECT_EQ(counted({}), "-+++++++++++++++++++");
  EXPECT_EQ(counted({{0, 900}, {1, 900}, {12, 900}}), "--++++++++++++++++++");
  EXPECT_EQ(counted({{12, 10'000}}), "-+++++++++++++++++++");
  EXPECT_EQ(counted({{12, 10'001}}), "-+++++++++++-+++++++");
}

TEST(Steps, CompilationsCountAfterTheFirstSteps) {
  EXPECT_EQ(counted({{0, 0}, {3, 0}, {9, 0}, {10, 0}, {15, 0}}), "--+-+++++-++++++++++");
}

TEST(Steps, StepsThatAllCompileCount) { EXPECT_EQ(counted({{0, 0}, {1, 0}, {2, 0}}, 3), "+++"); }

}  // namespace
}  // namespace laptime
