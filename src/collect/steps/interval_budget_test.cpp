#include "collect/steps/interval_budget.h"

#include <gtest/gtest.h>
#include <vector>

namespace laptime::steps {
namespace {

constexpr double kTurn = 1e6;

struct Played {
  std::vector<int> recorded;  // turns
  double share = 0;           // that recording added
};

Played play(IntervalBudget budget, int turns, double cost, double switching = 0,
            double others = 0) {
  Played played;
  bool on = budget.first();
  for (int turn = 0; turn < turns; ++turn) {
    if (on) played.recorded.push_back(turn), played.share += cost / turns;
    on = budget.after({kTurn, on, on ? cost * kTurn : 0, others * kTurn}, switching);
  }
  return played;
}

class IntervalBudgetOf : public testing::TestWithParam<double> {};

TEST_P(IntervalBudgetOf, HoldsAllOverTheRun) {
  const Played played = play({0.05, 12}, 1000, GetParam());
  EXPECT_GE(played.recorded.front(), 12);
  EXPECT_GE(played.recorded.size(), 20u);
  EXPECT_GT(played.recorded.back(), 900);
  EXPECT_LE(played.share, 0.05);
}
INSTANTIATE_TEST_SUITE_P(Costs, IntervalBudgetOf, testing::Values(0.01, 0.2, 0.8));

TEST(IntervalBudget, PaysForSwitching) {
  const std::size_t rare = play({0.05, 12}, 2000, 0.1, 2 * kTurn).recorded.size(),
                    often = play({0.05, 12}, 2000, 0.1).recorded.size();
  EXPECT_GT(rare, 0u);
  EXPECT_LT(rare, 0.7 * static_cast<double>(often));
}

TEST(IntervalBudget, LeavesToOthersWhatTheySpendAndKeepsAQuarter) {
  const auto recorded = [](double others) {
    return static_cast<double>(play({0.05, 12}, 4000, 0.2, 0, others).recorded.size());
  };
  EXPECT_NEAR(recorded(0.02) / recorded(0), 0.6, 0.05);
  EXPECT_NEAR(recorded(0.08) / recorded(0), 0.25, 0.05);
}

TEST(IntervalBudget, RecordsFromTheBeginningWhereNothingIsToPass) {
  const Played played = play({0.05, 0}, 1000, 0.1);
  for (unsigned turn = 0; turn < IntervalBudget::kFirst; ++turn)
    EXPECT_EQ(played.recorded[turn], static_cast<int>(turn));
  EXPECT_LE(played.share, 0.05);
}

TEST(IntervalBudget, CountsAStretchThatEndsBetweenTurnsAndNoMoreThanItsTime) {
  IntervalBudget budget(0.05, 0);
  budget.end({kTurn, true, 7 * kTurn}, 5);
  EXPECT_DOUBLE_EQ(budget.spent(), kTurn + 5);
  budget.end({kTurn, false}, 5);
  EXPECT_DOUBLE_EQ(budget.spent(), kTurn + 5);
}

TEST(IntervalBudget, ATurnThatComesLateIsPaidFor) {
  IntervalBudget budget(0.05, 0);
  EXPECT_TRUE(budget.after({1000 * kTurn, true}, 0));  // the first interval lasts
  for (unsigned turn = 1; turn < IntervalBudget::kFirst; ++turn)
    (void)budget.after({kTurn, true}, 0);
  int rests = 0;
  while (!budget.after({kTurn, false}, 0)) ++rests;
  EXPECT_GT(rests, 2000);
}

}  // namespace
}  // namespace laptime::steps
