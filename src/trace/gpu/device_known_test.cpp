#include "trace/gpu/device_known.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

constexpr std::int64_t kUs = 1'000;

// Recorded from 0 to 1 ms and from 3 to 6 ms.
const Intervals kRested({{1'000 * kUs, 3'000 * kUs}});

struct Work {
  std::uint32_t stream;
  std::int64_t called, start, end;
};

DeviceKnown known(std::initializer_list<Work> all) {
  DeviceKnown result(kRested);
  std::vector<Interval> busy;
  for (const Work& work : all) {
    result.add(work.stream, {work.called * kUs, work.called * kUs + 5 * kUs, work.start * kUs});
    busy.push_back({work.start * kUs, work.end * kUs});
  }
  result.finish(Covered(std::move(busy)));
  return result;
}

TEST(DeviceKnown, WorkThatDoesNotBeginWaitsForWhatWasNotRecorded) {
  const DeviceKnown device = known({{7, 3'000, 4'500, 5'000}});
  EXPECT_TRUE(device.knows(500 * kUs));
  EXPECT_FALSE(device.knows(3'000 * kUs));
  EXPECT_FALSE(device.knows(4'000 * kUs));
  EXPECT_TRUE(device.knows(4'500 * kUs));
}

TEST(DeviceKnown, AnIdleStreamBeginsAtOnce) {
  EXPECT_TRUE(known({{7, 3'000, 3'025, 5'000}}).knows(3'000 * kUs));
  EXPECT_FALSE(known({{7, 3'000, 3'026, 5'000}}).knows(3'000 * kUs));
}

TEST(DeviceKnown, BeforeAnythingRestedAllIsKnown) {
  EXPECT_TRUE(known({{7, 0, 900, 1'000}}).knows(0));
}

TEST(DeviceKnown, OnlyTheFirstWorkOfAStreamTells) {
  // Later work may wait for anything.
  EXPECT_TRUE(known({{7, 3'500, 5'000, 5'500}, {7, 3'000, 3'010, 3'100}}).knows(3'000 * kUs));
}

TEST(DeviceKnown, ACopyThatBeginsAtOnceSaysNothingOfAnotherStream) {
  EXPECT_FALSE(known({{13, 3'000, 3'010, 3'100}, {7, 3'050, 5'000, 5'500}}).knows(3'000 * kUs));
}

TEST(DeviceKnown, WhatWaitsForRecordedWorkOfAnotherStreamIsNoSign) {
  EXPECT_TRUE(known({{7, 3'000, 3'010, 4'990}, {13, 3'050, 5'000, 5'500}}).knows(3'000 * kUs));
}

TEST(DeviceKnown, TellsWhenRecordingBegan) {
  const DeviceKnown device = known({});
  EXPECT_EQ(device.recorded_since(500 * kUs), INT64_MIN);
  EXPECT_EQ(device.recorded_since(3'000 * kUs), 3'000 * kUs);
  EXPECT_EQ(device.recorded_since(5'000 * kUs), 3'000 * kUs);
}

}  // namespace
}  // namespace laptime
