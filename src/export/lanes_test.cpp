#include "export/lanes.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(Lanes, ProperCallsShareOne) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(20, 30), 0u);
  EXPECT_EQ(lanes.place(22, 30), 0u);
  EXPECT_EQ(lanes.place(0, 20), 0u);
  EXPECT_EQ(lanes.place(5, 15), 0u);
  EXPECT_EQ(lanes.place(5, 10), 0u);
  EXPECT_EQ(lanes.place(1, 1), 0u);
}

TEST(Lanes, CrossingSpansMoveOver) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(10, 20), 0u);
  EXPECT_EQ(lanes.place(5, 15), 1u);
  EXPECT_EQ(lanes.place(11, 14), 0u);
  EXPECT_EQ(lanes.place(6, 12), 1u);
  EXPECT_EQ(lanes.place(0, 4), 0u);
}

TEST(Lanes, HaveALimit) {
  Lanes lanes;
  for (std::size_t i = 0; i < Lanes::kMostLanes; ++i)
    EXPECT_EQ(lanes.place(-static_cast<std::int64_t>(i), 1000 - static_cast<std::int64_t>(i)), i);
  EXPECT_EQ(lanes.place(-500, 500), std::nullopt);
}

}  // namespace
}  // namespace laptime
