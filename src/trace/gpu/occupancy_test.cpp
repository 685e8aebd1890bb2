#include "trace/gpu/occupancy.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

constexpr DeviceLimits kHopper{132, 2048, 32, 65536, 233472, 9};

double share(const LaunchConfig& config) { return occupancy(config, kHopper).value_or(-1); }

TEST(Occupancy, IsBoundByWhicheverRunsOutFirst) {
  EXPECT_DOUBLE_EQ(share({{100, 1, 1}, {256, 1, 1}, 32, 0, 0}), 1.0);
  EXPECT_DOUBLE_EQ(share({{100, 1, 1}, {256, 1, 1}, 64, 0, 0}), 0.5) << "registers";
  EXPECT_DOUBLE_EQ(share({{100, 1, 1}, {256, 1, 1}, 32, 0, 98304}), 0.25)
      << "shared memory: two blocks";
  EXPECT_DOUBLE_EQ(share({{100, 1, 1}, {32, 1, 1}, 16, 0, 0}), 0.5) << "32 blocks of a warp";
  EXPECT_DOUBLE_EQ(share({{100, 1, 1}, {1, 1, 1}, 16, 0, 0}), 0.5) << "a warp is full or not";
  EXPECT_DOUBLE_EQ(share({{1, 1, 1}, {1024, 1, 1}, 255, 0, 0}), -1) << "no block fits";
}

TEST(Occupancy, AWarpsRegistersAreOfOneQuarterOfTheMultiprocessor) {
  EXPECT_DOUBLE_EQ(share({{1000, 1, 1}, {192, 1, 1}, 112, 0, 0}), 12.0 / 64)
      << "four warps fit into each quarter: two blocks of six";
  EXPECT_DOUBLE_EQ(share({{1000, 1, 1}, {160, 1, 1}, 169, 0, 0}), 5.0 / 64);
}

TEST(Occupancy, SharedMemoryIsRoundedWithTheSystemsPart) {
  EXPECT_DOUBLE_EQ(share({{1000, 1, 1}, {128, 1, 1}, 32, 0, 16400}), 52.0 / 64)
      << "17,536 bytes a block";
  constexpr DeviceLimits kVolta{80, 2048, 32, 65536, 98304, 7};
  EXPECT_DOUBLE_EQ(*occupancy(LaunchConfig{{1, 1, 1}, {128, 1, 1}, 32, 0, 8192}, kVolta), 48.0 / 64)
      << "nothing is the system's";
  EXPECT_DOUBLE_EQ(*occupancy(LaunchConfig{{1, 1, 1}, {128, 1, 1}, 32, 0, 0}, kVolta), 1.0);
}

TEST(Occupancy, ABlockWithoutThreadsHasNone) { EXPECT_FALSE(occupancy(LaunchConfig{}, kHopper)); }

TEST(Occupancy, LimitsComeFromTheProcessThatSawTheDevice) {
  Process known;
  known.devices[{DeviceKind::cuda, 1}] = {{"max_threads_per_multiprocessor", 2048},
                                          {"max_blocks_per_multiprocessor", 32},
                                          {"registers_per_multiprocessor", 65536},
                                          {"shared_bytes_per_multiprocessor", 233472},
                                          {"compute_major", 9}};
  EXPECT_TRUE(device_limits(known, 1));
  EXPECT_EQ(device_limits(known, 1)->compute_major, 9u);
  EXPECT_FALSE(device_limits(known, 0));
}

}  // namespace
}  // namespace laptime
