#include "analyze/whatif/loader.h"

#include <gtest/gtest.h>

namespace laptime::whatif {
namespace {

std::vector<bool> one_epoch(std::size_t steps) {
  std::vector<bool> restarts(steps);
  restarts[0] = true;
  return restarts;
}
std::vector<std::int64_t> waits(std::size_t steps, std::int64_t compute, std::int64_t fetch, unsigned workers, std::int64_t hand_over) {
  const std::vector<std::int64_t> computes(steps, compute), fetches{fetch}, hand_overs{hand_over};
  return simulate_waits(computes, one_epoch(steps), fetches, workers, hand_overs);
}

TEST(Loader, WithoutWorkersAStepWaitsForAllOfIt) { EXPECT_EQ(waits(3, 100, 70, 0, 5), (std::vector<std::int64_t>{70, 70, 70})); }

TEST(Loader, EnoughWorkersLeaveTheHandOver) {
  const auto result = waits(50, 100, 150, 2, 5);
  EXPECT_EQ(result.front(), 155);  // nobody has begun yet
  EXPECT_EQ(result.back(), 5);
}

TEST(Loader, TooFewWorkersSetThePace) {
  const auto result = waits(200, 100, 300, 2, 0);
  // A batch comes every 150.
  std::int64_t sum = 0;
  for (std::size_t i = 100; i < 200; ++i) sum += result[i];
  EXPECT_EQ(sum, 100 * 50);
}

TEST(Loader, AnEpochBeginsEmpty) {
  std::vector<bool> restarts(10);
  restarts[0] = restarts[5] = true;
  const std::vector<std::int64_t> compute(10, 1'000), fetch{300}, hand_over{0};
  const auto result = simulate_waits(compute, restarts, fetch, 1, hand_over);
  EXPECT_EQ(result[0], 300);
  EXPECT_EQ(result[4], 0);
  EXPECT_EQ(result[5], 300);
}

TEST(Loader, NothingIsWaitedForWhereNothingIsMade) {
  const std::vector<std::int64_t> compute(3, 10);
  EXPECT_EQ(simulate_waits(compute, one_epoch(3), {}, 4, {}), (std::vector<std::int64_t>{0, 0, 0}));
}

}  // namespace
}  // namespace laptime::whatif
