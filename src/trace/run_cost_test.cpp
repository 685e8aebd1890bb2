#include "trace/run_cost.h"

#include <gtest/gtest.h>
#include <random>

#include "trace/analysis.h"
#include "trace/testing/op_runs.h"

namespace laptime {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// `tremble`: the variation of a step, as a share of its time. Five of every 25 steps are recorded.
// `added`: their additional time, as a share of a step.
OpRun alternating(double added, double tremble, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, tremble);
  OpRun t;
  std::int64_t now = 0;
  for (int i = 0; i < 500; ++i) {
    const bool recorded = i % 25 >= 20;
    const auto wall = static_cast<std::int64_t>(10.0 * kMs * (1 + (recorded ? added : 0)) *
                                                std::max(0.5, 1 + normal(random)));
    t.add_step(0, now, wall, recorded ? 1 : 0);
    now += wall;
  }
  t.run.end_ns = now;
  t.run.processes[0].properties = {{"records", 0}, {"record_cost_ps", 20000}};
  return t;
}

RunCost cost_of(const Run& run) { return find_run_cost(Analysis(run)).value(); }

TEST(RunCost, IsUnknownWhereNobodyCounted) {
  OpRun t;
  t.run.end_ns = 1000;
  EXPECT_FALSE(find_run_cost(Analysis(t.run)));
}

TEST(RunCost, RecordedStepsAreComparedWithTheRestingOnesAround) {
  const OpRun t = alternating(0.2, 0.02, 1);
  const RunCost cost = cost_of(t.run);
  EXPECT_TRUE(cost.compared);
  EXPECT_NEAR(cost.share, 0.2 / 5, 0.005);  // of a fifth of the steps
  EXPECT_LT(cost.high - cost.low, 0.02);
}

TEST(RunCost, StepsThatDifferWidenTheInterval) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const OpRun calm = alternating(0, 0.02, seed), busy = alternating(0, 0.3, seed);
    const RunCost of_calm = cost_of(calm.run), of_busy = cost_of(busy.run);
    EXPECT_LT(of_calm.share, 0.005);
    EXPECT_LT(of_busy.low, 0.01) << "noise is no cost";
    EXPECT_GT(of_busy.high - of_busy.low, 2 * (of_calm.high - of_calm.low));
  }
}

TEST(RunCost, TheHooksOfAllFrameworksAreAdded) {
  OpRun t;
  t.run.end_ns = 1000 * kMs;
  t.run.processes[0].properties = {{"records", 0}, {"record_cost_ps", 20000}};
  t.run.processes[0].properties["tensorflow_hooks_ns"] = 10 * kMs;
  t.run.processes[0].properties["jax_by_clock_ns"] = 5 * kMs;
  EXPECT_NEAR(cost_of(t.run).ns, 15.0 * kMs, 1);
}

TEST(RunCost, WhatNothingIsComparedWithIsPriced) {
  OpRun t;
  for (int i = 0; i < 100; ++i) t.add_step(0, i * 10 * kMs, 10 * kMs, 1);
  t.run.end_ns = 1100 * kMs;
  t.run.processes[0].properties = {{"records", 1000000},
                                   {"record_cost_ps", 20000},
                                   {"own_time_ns", 60000000},
                                   {"python_cost_ns", 20000000}};
  const RunCost cost = cost_of(t.run);
  EXPECT_FALSE(cost.compared);
  EXPECT_NEAR(cost.share, 0.1, 1e-9);  // 100 ms of 1,100
  EXPECT_LT(cost.low, cost.share);
  EXPECT_GT(cost.high, cost.share);
}

TEST(RunCost, TheIntervalHoldsTheCostThoughItBeMostOfTheRun) {
  OpRun t;
  t.run.end_ns = 1000 * kMs;
  t.run.processes[0].properties = {
      {"records", 0}, {"record_cost_ps", 20000}, {"python_cost_ns", 700000000}};
  const RunCost cost = cost_of(t.run);
  EXPECT_LT(cost.low, cost.share);
  EXPECT_GT(cost.high, cost.share);
}

TEST(RunCost, EventsTakeLongerWhereTheThreadWaitsForAProcessor) {
  OpRun t;
  t.run.end_ns = 1000 * kMs;
  t.run.processes[0].properties = {
      {"records", 0}, {"record_cost_ps", 20000}, {"python_cost_ns", 20000000}};
  const double alone = cost_of(t.run).ns;
  t.run.processes[0].properties.insert(
      {{"ran_ns", 300000000}, {"waited_for_processor_ns", 600000000}});
  EXPECT_NEAR(cost_of(t.run).ns, 3 * alone, 1);
}

}  // namespace
}  // namespace laptime
