#include "collect/steps/step_pulse.h"

#include <gtest/gtest.h>

namespace laptime::steps {
namespace {

TEST(StepPulse, OfFewerThanTwoStepsNothingIsKnown) {
  StepPulse pulse;
  EXPECT_EQ(pulse.median(), 0u);
  pulse.count();
  pulse.ended(1000);
  EXPECT_EQ(pulse.median(), 0u);
  EXPECT_EQ(pulse.counted(), 1u);
  EXPECT_EQ(pulse.last_end(), 1000u);
}

TEST(StepPulse, ALongStepDoesNotMoveTheMedianLongerOnesDo) {
  StepPulse pulse;
  std::uint64_t now = 1;
  const auto step = [&](std::uint64_t length) { pulse.ended(now += length); };
  for (int i = 0; i < 30; ++i) step(10);
  step(100'000);
  EXPECT_EQ(pulse.median(), 10u);
  for (int i = 0; i < 11; ++i) step(5000);
  EXPECT_EQ(pulse.median(), 5000u);
  pulse.forget_lengths();
  step(10);
  EXPECT_EQ(pulse.median(), 0u);
}

}  // namespace
}  // namespace laptime::steps
