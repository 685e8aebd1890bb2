#include "advise/evidence/gain.h"

#include <gtest/gtest.h>
#include <vector>

namespace laptime {
namespace {

TEST(Gain, APartThatGoesShortensTheStep) {
  const Gain gain = predict(10, Part{5, 0}, {0, 0});
  EXPECT_DOUBLE_EQ(gain.low, 2);
  EXPECT_DOUBLE_EQ(gain.high, 2);
}

TEST(Gain, WhatMayBeLeftMakesAnInterval) {
  const Gain gain = predict(10, Part{5, 0}, {0, 0.5});
  EXPECT_DOUBLE_EQ(gain.low, 10 / 7.5);
  EXPECT_DOUBLE_EQ(gain.high, 2);
  EXPECT_GT(gain.expected(), gain.low);
  EXPECT_LT(gain.expected(), gain.high);
}

TEST(Gain, AnUnevenPartWidensIt) {
  const Gain even = predict(10, Part{5, 0}, {0, 0}), uneven = predict(10, Part{5, 1}, {0, 0});
  EXPECT_LT(uneven.low, even.low);
  EXPECT_GT(uneven.high, even.high);
}

TEST(Gain, ButNeitherPartNorRestShrinkBelowHalf) {
  const Gain gain = predict(10, Part{8, 50}, {0, 0});
  EXPECT_DOUBLE_EQ(gain.low, 10. / 6);
  EXPECT_DOUBLE_EQ(gain.high, 10);
}

TEST(Gain, NeverALossNorARateWithoutEnd) {
  EXPECT_DOUBLE_EQ(predict(10, Range{12, 15}).high, 1);
  EXPECT_DOUBLE_EQ(predict(10, Part{10, 0}, {0, 0}).high, 1000);
}

TEST(Gain, MeanPart) {
  const Part part = mean_part(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(part.ns, 2);
  EXPECT_NEAR(part.error_ns, 1 / 1.7320508, 1e-6);
  EXPECT_DOUBLE_EQ(mean_part({}).ns, 0);
  EXPECT_DOUBLE_EQ(mean_part(std::vector<double>{4}).error_ns, 4);
}

}  // namespace
}  // namespace laptime
