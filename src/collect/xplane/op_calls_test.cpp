#include "collect/xplane/op_calls.h"

#include <gtest/gtest.h>

#include "record/testing/recording.h"

namespace laptime {
namespace {

TEST(SortedOpCalls, FindsTheInnermostCallOfTheThread) {
  OpCalls calls;
  calls.add({20, 30, 1, {.call_site = 2}});
  calls.add({10, 50, 1, {.call_site = 1}});
  calls.add({15, 40, 2, {.call_site = 3}});
  const SortedOpCalls sorted = calls.take();
  EXPECT_EQ(sorted.find(1, 9), nullptr);
  EXPECT_EQ(sorted.find(1, 10)->origin.call_site, 1u);
  EXPECT_EQ(sorted.find(1, 25)->origin.call_site, 2u);
  EXPECT_EQ(sorted.find(1, 30)->origin.call_site, 1u);
  EXPECT_EQ(sorted.find(1, 50), nullptr);
  EXPECT_EQ(sorted.find(2, 25)->origin.call_site, 3u);
  EXPECT_EQ(sorted.find(2, 14), nullptr);
  EXPECT_EQ(sorted.find(3, 25), nullptr);
}

TEST(SortedOpCalls, CallsAreTakenOnce) {
  OpCalls calls;
  calls.add({10, 20, 1, {}});
  EXPECT_NE(calls.take().find(1, 15), nullptr);
  EXPECT_EQ(calls.take().find(1, 15), nullptr);
}

class OpCallsTest : public RecorderTest {};

TEST_F(OpCallsTest, CallsBeyondTheLimitAreCounted) {
  ASSERT_EQ(laptime_start(path_.c_str(), nullptr), 0);
  OpCalls calls;
  for (std::uint64_t i = 0; i < OpCalls::kMost + 2; ++i) calls.add({i * 10, i * 10 + 9, 1, {}});
  ASSERT_EQ(laptime_stop(), 0);
  const SortedOpCalls sorted = calls.take();
  EXPECT_NE(sorted.find(1, (OpCalls::kMost - 1) * 10), nullptr);
  EXPECT_EQ(sorted.find(1, OpCalls::kMost * 10), nullptr);
  const auto run = open_run(path_);
  ASSERT_TRUE(run);
  ASSERT_EQ(run->warnings.size(), 1u);
  EXPECT_EQ(run->warnings[0].name, "op_calls_full");
  EXPECT_EQ(run->warnings[0].count, 2u);
}

}  // namespace
}  // namespace laptime
