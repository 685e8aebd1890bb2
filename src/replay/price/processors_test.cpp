#include "replay/price/processors.h"

#include <gtest/gtest.h>

namespace laptime::replay {
namespace {

double slowed(Processors processors, double compute, double fetch, unsigned workers,
              Outlook outlook = Outlook::expected) {
  return slowed_by_workers(processors, {compute + fetch, compute, fetch}, workers, outlook);
}

TEST(Processors, AFreeOneIsAllThatAWorkerNeeds) {
  EXPECT_NEAR(slowed({2, 1, 1.0, 1.0}, 10, 10, 1, Outlook::best), 1, 1e-6);
  EXPECT_NEAR(slowed({2, 1, 0.0, 1.0}, 10, 10, 1), 1, 1e-6);
}

TEST(Processors, WhatComputesOnTheNextOneIsFelt) {
  EXPECT_NEAR(slowed({2, 1, 1.0, 1.0}, 10, 10, 1), 1 + kBeside, 1e-6);
  EXPECT_NEAR(slowed({2, 1, 1.0, {}}, 10, 5, 1), 1 + kBeside / 2, 1e-6);
  EXPECT_NEAR(slowed({8, 1, 1.0, {}}, 10, 10, 1, Outlook::worst), 1 + kBesideWorst, 1e-6);
  // In a run with workers this is already included.
  EXPECT_NEAR(slowed_by_workers({8, 1, 1.0, {}}, {20, 10, 10, 1}, 2, Outlook::expected), 1, 1e-6);
}

TEST(Processors, WhatAllComputeIsDividedByTheProcessors) {
  // 10 and 30 on two processors: a step of 20, not of 15.
  EXPECT_NEAR(slowed({2, 1, 1.0, {}}, 10, 30, 2) * 30 / 2, 20 * (1 + kBeside), 1e-3);
  EXPECT_NEAR(slowed({1, 1, 1.0, {}}, 10, 30, 1) * 30, 40, 1e-3);
}

TEST(Processors, WhoOnlyWaitsNeedsNone) {
  EXPECT_NEAR(slowed({1, 1, 0.0, {}}, 10, 30, 4), 1, 1e-6);
  EXPECT_NEAR(slowed({1, 1, {}, {}}, 10, 30, 4, Outlook::best), 1, 1e-6);  // unknown
  EXPECT_GT(slowed({1, 1, {}, {}}, 10, 30, 4), 1);
}

TEST(Processors, OthersTakeTheirShare) {
  const Processors busy{2, 1, 1.0, 3.0};  // two beside the program
  EXPECT_NEAR(slowed(busy, 10, 10, 1), (2.0 / 3) / (2.0 / 4) * (1 + kBeside), 1e-3);
  EXPECT_NEAR(slowed(busy, 10, 10, 1, Outlook::worst), 1.5 * (1 + kBesideWorst),
              1e-3);  // one beside it
  EXPECT_NEAR(slowed(busy, 10, 10, 1, Outlook::best), 1, 1e-6);
}

TEST(Processors, OpsOfSeveralThreadsWaitForTheLastOfThem) {
  Processors two{2, 2, 1.0, {}, 2.0};
  EXPECT_NEAR(slowed(two, 10, 0.001, 1), 1, 1e-3);
  // Beside a worker that computes half of the time, the step loses more than the fetch that it
  // avoids.
  EXPECT_GT(slowed(two, 10, 5, 1) * 10, 15);
  // Ops that leave a processor free lose nothing.
  two.used = 1;
  EXPECT_NEAR(slowed(two, 10, 5, 1), 1 + kBeside / 2, 1e-3);
  EXPECT_GT(slowed(two, 10, 5, 1, Outlook::worst) * 10, 15);
}

TEST(Processors, FewerWorkersGiveSomeBack) {
  // Four workers and the step on two processors; then the program alone.
  EXPECT_NEAR(slowed_by_workers({2, 1, 1.0, {}}, {20, 20, 80}, 0, Outlook::expected), 2.0 / 5,
              1e-3);
}

TEST(Processors, UnknownOnesSlowNothing) { EXPECT_EQ(slowed({}, 10, 100, 8), 1); }

TEST(Processors, OnlyThePartOfAFetchThatComputesIsSlowed) {
  EXPECT_DOUBLE_EQ(fetch_slowed({2, 1, 0.5, {}}, 2, Outlook::expected), 1.5);
  EXPECT_DOUBLE_EQ(fetch_slowed({2, 1, {}, {}}, 2, Outlook::best), 1);
}

}  // namespace
}  // namespace laptime::replay
