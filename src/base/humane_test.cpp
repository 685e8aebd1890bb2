#include "base/humane.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(Humane, Times) {
  EXPECT_EQ(humane_time(0), "0 ns");
  EXPECT_EQ(humane_time(999), "999 ns");
  EXPECT_EQ(humane_time(12.5), "12.5 ns");
  EXPECT_EQ(humane_time(1000), "1.00 µs");
  EXPECT_EQ(humane_time(9'996), "10.0 µs");
  EXPECT_EQ(humane_time(999'400), "999 µs");
  EXPECT_EQ(humane_time(999'600), "1.00 ms");
  EXPECT_EQ(humane_time(1'234'567), "1.23 ms");
  EXPECT_EQ(humane_time(59e9), "59.0 s");
  EXPECT_EQ(humane_time(119e9), "119 s");
  EXPECT_EQ(humane_time(600e9), "10.0 min");
  EXPECT_EQ(humane_time(36000e9), "10.0 h");
  EXPECT_EQ(humane_time(-1500), "-1.50 µs");
}

TEST(Humane, Bytes) {
  EXPECT_EQ(humane_bytes(512), "512 B");
  EXPECT_EQ(humane_bytes(4.25), "4.25 B");
  EXPECT_EQ(humane_bytes(1'500'000), "1.50 MB");
}

TEST(Humane, Counts) {
  EXPECT_EQ(humane_count(0), "0");
  EXPECT_EQ(humane_count(999), "999");
  EXPECT_EQ(humane_count(1000), "1,000");
  EXPECT_EQ(humane_count(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace laptime
