#include <gtest/gtest.h>

#include <map>

#include "tables/steps/breakdown.h"
#include "tables/steps/breakdown_steps.h"
#include "tables/steps/phases.h"
#include "tables/steps/slow_steps.h"
#include "trace/analysis.h"
#include "trace/steps/steps.h"
#include "trace/testing/odd_runs.h"

namespace laptime {
namespace {

constexpr std::uint32_t kSeeds = 200;

double number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  const auto* real = std::get_if<double>(&cell);
  return real ? *real : 0;
}
double number(const Table& table, const Row& row, std::string_view column) {
  return number(row[*find_column(table, column)]);
}

// Of the columns from `first` to `last`; unknowns count nothing.
double sum_between(const Table& table, const Row& row, std::string_view first,
                   std::string_view last) {
  double sum = 0;
  for (std::size_t i = *find_column(table, first); i <= *find_column(table, last); ++i)
    sum += number(row[i]);
  return sum;
}

TEST(Breakdown, SharesOfEachPhaseSumToOne) {
  std::uint32_t with_device = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    std::map<std::string, double> shares;
    for (const Row& row : breakdown_table(Analysis(odd_run({seed}).run)).rows)
      shares[std::get<std::string>(row[0]) + ' ' + std::get<std::string>(row[6])] +=
          std::get<double>(row[3]);
    ASSERT_GE(shares.size(), 2u);
    with_device += shares.size() > 2;
    for (const auto& [view, sum] : shares) ASSERT_NEAR(sum, 1, 1e-9) << view << " of run " << seed;
  }
  EXPECT_GT(
      with_device,
      kSeeds / 3);  // half of the runs have a GPU; in few of them no step that counts was recorded
}

TEST(BreakdownSteps, ColumnsSumToTheWallTimeOfEveryStep) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const OpRun t = odd_run({seed});
    const Analysis analysis(t.run);
    const Table table = breakdown_steps_table(analysis);
    ASSERT_EQ(table.rows.size(), analysis.steps().size());
    for (const Row& row : table.rows)
      ASSERT_EQ(sum_between(table, row, "input_ns", "other_ns"), number(table, row, "wall_ns"))
          << "run " << seed;
  }
}

TEST(BreakdownTime, PartsHaveEveryStepOnceAndSumToTheirWallTime) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const OpRun t = odd_run({.seed = seed, .steps = 50 + seed % 50});
    const Analysis analysis(t.run);
    const Table table = breakdown_time_table(analysis);
    ASSERT_LE(table.rows.size(), 2 * kMostTimeParts);
    double wall = 0, expected = 0, steps = 0;
    for (const Step& step : analysis.steps()) expected += static_cast<double>(step.wall_ns);
    for (const Row& row : table.rows) {
      ASSERT_NEAR(sum_between(table, row, "input_ns", "other_ns"), number(table, row, "wall_ns"),
                  1e-6)
          << "run " << seed;
      wall += number(table, row, "wall_ns") * number(table, row, "steps");
      steps += number(table, row, "steps");
    }
    ASSERT_NEAR(wall, expected, 1e-6 * expected);
    ASSERT_EQ(steps, static_cast<double>(analysis.steps().size()));
  }
}

TEST(Phases, SumToTheRunsDuration) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const OpRun t = odd_run({seed});
    const Table table = phases_table(Analysis(t.run));
    double sum = 0;
    for (const Row& row : table.rows) sum += number(table, row, "time_ns");
    ASSERT_EQ(sum, static_cast<double>(t.run.end_ns)) << "run " << seed;
  }
}

TEST(SlowSteps, CategoriesSumToBothSidesAndToTheExcess) {
  std::size_t phases = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    const OpRun t = odd_run({.seed = seed, .steps = 150, .compiles = false});
    const Table table = slow_steps_table(Analysis(t.run));
    struct Sums {
      double slow = 0, median = 0, excess = 0;
    };
    std::map<std::string, Sums> totals, categories;
    for (const Row& row : table.rows) {
      auto& sums = (row[1] == Cell("total") ? totals : categories)[std::get<std::string>(row[0])];
      sums.slow += number(table, row, "slow_ns");
      sums.median += number(table, row, "median_ns");
      sums.excess += number(table, row, "excess_ns");
    }
    for (const auto& [phase, total] : totals) {
      ++phases;
      ASSERT_GT(total.excess, 0);
      ASSERT_NEAR(categories[phase].slow, total.slow, 1e-6) << phase << " of run " << seed;
      ASSERT_NEAR(categories[phase].median, total.median, 1e-6) << phase << " of run " << seed;
      ASSERT_NEAR(categories[phase].excess, total.excess, 1e-6) << phase << " of run " << seed;
    }
  }
  EXPECT_GT(phases, kSeeds);
}

}  // namespace
}  // namespace laptime
