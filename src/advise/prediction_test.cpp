#include "advise/prediction.h"

#include <gtest/gtest.h>
#include <vector>

namespace laptime {
namespace {

TEST(Prediction, APartThatGoesShortensTheStep) {
  const Prediction gain = predict(10, Part{5, 0}, {0, 0});
  EXPECT_DOUBLE_EQ(gain.gain_low, 2);
  EXPECT_DOUBLE_EQ(gain.gain_high, 2);
}

TEST(Prediction, WhatMayBeLeftMakesAnInterval) {
  const Prediction gain = predict(10, Part{5, 0}, {0, 0.5});
  EXPECT_DOUBLE_EQ(gain.gain_low, 10 / 7.5);
  EXPECT_DOUBLE_EQ(gain.gain_high, 2);
  EXPECT_GT(gain.expected(), gain.gain_low);
  EXPECT_LT(gain.expected(), gain.gain_high);
}

TEST(Prediction, AnUnevenPartWidensIt) {
  const Prediction even = predict(10, Part{5, 0}, {0, 0}), uneven = predict(10, Part{5, 1}, {0, 0});
  EXPECT_LT(uneven.gain_low, even.gain_low);
  EXPECT_GT(uneven.gain_high, even.gain_high);
}

TEST(Prediction, ButNeitherPartNorRestShrinkBelowHalf) {
  const Prediction gain = predict(10, Part{8, 50}, {0, 0});
  EXPECT_DOUBLE_EQ(gain.gain_low, 10. / 6);
  EXPECT_DOUBLE_EQ(gain.gain_high, 10);
}

TEST(Prediction, NeverALossNorARateWithoutEnd) {
  EXPECT_DOUBLE_EQ(predict(10, Range{12, 15}).gain_high, 1);
  EXPECT_DOUBLE_EQ(predict(10, Part{10, 0}, {0, 0}).gain_high, 1000);
}

TEST(Prediction, MeanPart) {
  const Part part = mean_part(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(part.ns, 2);
  EXPECT_NEAR(part.error_ns, 1 / 1.7320508, 1e-6);
  EXPECT_DOUBLE_EQ(mean_part({}).ns, 0);
  EXPECT_DOUBLE_EQ(mean_part(std::vector<double>{4}).error_ns, 4);
}

}  // namespace
}  // namespace laptime
