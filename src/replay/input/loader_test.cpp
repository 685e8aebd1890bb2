#include "replay/input/loader.h"

#include <gtest/gtest.h>

namespace laptime::replay {
namespace {

using Times = std::vector<std::int64_t>;

// One batch for each step, requested at its begin.
LoaderFacts loader(std::size_t steps, std::int64_t fetch, std::int64_t hand_over) {
  LoaderFacts facts;
  for (std::uint32_t i = 0; i < steps; ++i)
    facts.batches.push_back({i, 0, fetch, 0, hand_over, 0, 0});
  facts.restarts.resize(steps);
  facts.restarts[0] = true;
  facts.apart_ns.resize(steps);
  return facts;
}
Times waits(std::size_t steps, std::int64_t compute, std::int64_t fetch, unsigned workers,
            std::int64_t hand_over) {
  return simulate_waits(loader(steps, fetch, hand_over), Times(steps, compute), workers);
}
std::int64_t sum_from(const Times& times, std::size_t first) {
  std::int64_t sum = 0;
  for (std::size_t i = first; i < times.size(); ++i) sum += times[i];
  return sum;
}

TEST(Loader, WithoutWorkersAStepWaitsForAllOfIt) {
  EXPECT_EQ(waits(3, 100, 70, 0, 5), (Times{70, 70, 70}));
}

TEST(Loader, EnoughWorkersLeaveTheHandOver) {
  const auto result = waits(50, 100, 150, 2, 5);
  EXPECT_EQ(result.front(), 155);  // no worker has begun yet
  EXPECT_EQ(result.back(), 5);
}

TEST(Loader, TooFewWorkersSetThePace) {
  // A batch comes every 150.
  EXPECT_EQ(sum_from(waits(200, 100, 300, 2, 0), 100), 100 * 50);
}

TEST(Loader, WhatAWorkerDoesBetweenBatchesSetsThePaceToo) {
  LoaderFacts facts = loader(200, 300, 0);
  for (Batch& batch : facts.batches) batch.between_ns = 20;
  EXPECT_EQ(sum_from(simulate_waits(facts, Times(200, 100), 2), 100), 100 * 60);
}

TEST(Loader, InAnyOrderWorkersShareWhatOneWouldHaveToMake) {
  LoaderFacts facts = loader(400, 20, 0);
  for (std::size_t i = 1; i < facts.batches.size(); i += 2) facts.batches[i].fetch_ns = 300;
  // In order, the second worker makes all slow batches: one in two steps. Else both together make
  // one batch in 160.
  EXPECT_EQ(sum_from(simulate_waits(facts, Times(400, 100), 2), 200), 200 * 50);
  EXPECT_LT(sum_from(simulate_waits(facts, Times(400, 100), 2, BatchOrder::any), 200), 200 * 3);
  // If no batch is ready, the order does not matter.
  EXPECT_EQ(simulate_waits(loader(50, 300, 5), Times(50, 100), 2, BatchOrder::any),
            simulate_waits(loader(50, 300, 5), Times(50, 100), 2));
}

TEST(Loader, InAnyOrderAnEpochBeginsEmpty) {
  LoaderFacts facts = loader(10, 300, 0);
  facts.restarts[5] = true;
  const auto result = simulate_waits(facts, Times(10, 1'000), 1, BatchOrder::any);
  EXPECT_EQ(result[0], 300);
  EXPECT_EQ(result[4], 0);
  EXPECT_EQ(result[5], 300);
}

TEST(Loader, AnEpochBeginsEmpty) {
  LoaderFacts facts = loader(10, 300, 0);
  facts.restarts[5] = true;
  const auto result = simulate_waits(facts, Times(10, 1'000), 1);
  EXPECT_EQ(result[0], 300);
  EXPECT_EQ(result[4], 0);
  EXPECT_EQ(result[5], 300);
}

TEST(Loader, WorkersGoOnWhileAnotherPhaseRuns) {
  LoaderFacts facts = loader(10, 300, 0);
  facts.apart_ns[5] = 10'000;
  const auto result = simulate_waits(facts, Times(10, 100), 1);
  EXPECT_EQ(result[4], 200);
  EXPECT_EQ(result[5], 0);  // two were requested
  EXPECT_EQ(result[6], 0);
  EXPECT_EQ(result[7], 100);
}

TEST(Loader, ALongerQueueBridgesASlowBatch) {
  LoaderFacts facts = loader(40, 50, 0);
  facts.batches[30].fetch_ns = 500;
  facts.prefetch = 2;
  EXPECT_GT(simulate_waits(facts, Times(40, 100), 1)[30], 0);
  facts.prefetch = 8;
  EXPECT_EQ(simulate_waits(facts, Times(40, 100), 1)[30], 0);
}

TEST(Loader, SeveralBatchesAStepAreTakenOneAfterTheOther) {
  LoaderFacts facts;
  for (std::uint32_t i = 0; i < 200; ++i)
    facts.batches.push_back({i / 2, i % 2 == 0 ? 0 : 0.5, 100, 0, 0});
  facts.restarts.assign(100, false);
  facts.restarts[0] = true;
  facts.apart_ns.resize(100);
  EXPECT_EQ(simulate_waits(facts, Times(100, 120), 1).back(),
            80);  // two batches of 100, beside 120
  EXPECT_EQ(simulate_waits(facts, Times(100, 120), 2).back(), 0);
  EXPECT_EQ(simulate_waits(facts, Times(100, 120), 0).back(), 200);
}

TEST(Loader, NothingIsWaitedForWhereNothingIsMade) {
  LoaderFacts facts = loader(3, 0, 0);
  facts.batches.clear();
  EXPECT_EQ(simulate_waits(facts, Times(3, 10), 4), (Times{0, 0, 0}));
}

}  // namespace
}  // namespace laptime::replay
