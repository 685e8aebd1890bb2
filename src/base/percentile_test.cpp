#include "base/percentile.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace laptime {
namespace {

TEST(Percentile, IsAValueThatOccurred) {
  std::vector<std::int64_t> hundred(100);
  std::iota(hundred.rbegin(), hundred.rend(), 1);
  EXPECT_EQ(take_percentile(hundred, 0.50), 50);
  EXPECT_EQ(take_percentile(hundred, 0.95), 95);
  EXPECT_EQ(take_percentile(hundred, 0.05), 5);
  EXPECT_EQ(take_percentile(hundred, 1.00), 100);
}

TEST(Percentile, OfFewValues) {
  std::vector<std::int64_t> one{7}, two{9, 3};
  EXPECT_EQ(take_percentile(one, 0.05), 7);
  EXPECT_EQ(take_percentile(one, 0.95), 7);
  EXPECT_EQ(take_percentile(two, 0.50), 3);
  EXPECT_EQ(take_percentile(two, 0.51), 9);
}

TEST(MiddleMean, LeavesOutATenthOnEachSide) {
  std::vector<std::int64_t> values{1'000'000, 5, 1, 3, 4, 6, 7, 8, 9, -100};
  EXPECT_DOUBLE_EQ(take_middle_mean(values), (1 + 3 + 4 + 5 + 6 + 7 + 8 + 9) / 8.0);
  std::vector<std::int64_t> few{10, 1, 4};
  EXPECT_DOUBLE_EQ(take_middle_mean(few), 5);
}

}  // namespace
}  // namespace laptime
