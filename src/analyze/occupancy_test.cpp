#include "analyze/occupancy.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

constexpr DeviceLimits kHopper{132, 2048, 32, 65536, 233472};

double share(const char* configuration) { return occupancy(*parse_configuration(configuration), kHopper).value_or(-1); }

TEST(Occupancy, IsBoundByWhicheverRunsOutFirst) {
  EXPECT_DOUBLE_EQ(share("100,1,1;256,1,1;32;0;0"), 1.0);
  EXPECT_DOUBLE_EQ(share("100,1,1;256,1,1;64;0;0"), 0.5) << "registers";
  EXPECT_DOUBLE_EQ(share("100,1,1;256,1,1;32;0;98304"), 0.25) << "shared memory: two blocks";
  EXPECT_DOUBLE_EQ(share("100,1,1;32,1,1;16;0;0"), 0.5) << "32 blocks of a warp";
  EXPECT_DOUBLE_EQ(share("100,1,1;1,1,1;16;0;0"), 0.5) << "a warp is full or not";
  EXPECT_DOUBLE_EQ(share("1,1,1;1024,1,1;255;0;0"), -1) << "no block fits";
}

TEST(Occupancy, ConfigurationsThatAreNoneAreRefused) {
  EXPECT_TRUE(parse_configuration("1,2,3;4,5,6;7;8;9"));
  for (const char* text : {"", "1", "1,2,3;4,5,6;7;8", "1,2,3;4,5,6;7;8;9;", "1;2;3;4;5;6;7;8;9", "a,2,3;4,5,6;7;8;9", "1,2,3;4,5,6;7;8;-9", "99999999999,1,1;1,1,1;1;1;1"})
    EXPECT_FALSE(parse_configuration(text)) << text;
  EXPECT_FALSE(occupancy(LaunchConfiguration{}, kHopper));
}

TEST(Occupancy, LimitsComeFromTheProcessThatSawTheDevice) {
  const Properties known{{"cuda device 1 max_threads_per_multiprocessor", "2048"}, {"cuda device 1 max_blocks_per_multiprocessor", "32"},
                         {"cuda device 1 registers_per_multiprocessor", "65536"}, {"cuda device 1 shared_bytes_per_multiprocessor", "233472"}};
  EXPECT_TRUE(device_limits(known, 1));
  EXPECT_FALSE(device_limits(known, 0));
}

}  // namespace
}  // namespace laptime
