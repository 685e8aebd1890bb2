// Calls in, steps out: every form of loop that the rules know, as a row of a table.
//
// Each word is a call, at the moment of its position from 1. The letter is the function: capital
// letters are differentiated, in the first call. A digit behind it is the number of its parameters.
// `!` is the end. A step is its phase's first letter, and the moment of its end. `n-` before it: it
// began at moment n, not at the end of the step before.
#include "collect/jax/call_rules.h"

#include <gtest/gtest.h>
#include <cctype>
#include <sstream>
#include <string>

namespace laptime::jax {
namespace {

void add(std::string& text, const CallRules::EndedSteps& ended) {
  for (const steps::EndedStep& step : ended) {
    if (!text.empty()) text += ' ';
    if (step.begin != 0) text += std::to_string(step.begin) + "-";
    text += "tvi"[static_cast<std::size_t>(step.phase)] + std::to_string(step.moment);
  }
}

std::string play(const std::string& script) {
  CallRules rules;
  std::string steps;
  std::istringstream words(script);
  std::uint64_t moment = 0;
  for (std::string word; words >> word;) {
    ++moment;
    if (word == "!") {
      add(steps, rules.finished(moment));
      continue;
    }
    const auto function = static_cast<std::uint32_t>(word[0]);
    const std::uint64_t inputs = word.size() > 1 ? std::stoul(word.substr(1)) : 0;
    add(steps, rules.called({function, 1, false, inputs}, moment));
    if (std::isupper(word[0])) rules.differentiated(function);
  }
  return steps;
}

struct Row {
  const char *name, *script, *steps;
};

class Loops : public testing::TestWithParam<Row> {};

TEST_P(Loops, EndTheirSteps) { EXPECT_EQ(play(GetParam().script), GetParam().steps); }

INSTANTIATE_TEST_SUITE_P(
    CallRules, Loops,
    testing::Values(Row{"OneFunction", "A A A !", "t2 t3 t4"}, Row{"OneCall", "A !", "t2"},
                    Row{"OneCallWithoutGradients", "a !", ""}, Row{"NoCalls", "!", ""},
                    Row{"Inference", "a a a !", "i2 i3 i4"},
                    Row{"FunctionsInTurn", "A b c A b c !", "t4 t7"},
                    Row{"FunctionBeforeTheGradients", "a B a B !", "t3 t5"},
                    Row{"TwoOptimizers", "A B A B !", "t3 t5"},
                    Row{"SeveralUpdatesOfOneOptimizer", "A A B A A B !", "t2 t4 t5 t7"},
                    Row{"Initialization", "i j A A !", "3-t4 t5"},
                    Row{"Validation", "A A A e e e A A e e !", "t2 t3 t4 v5 v6 v7 t8 t9 v10 v11"},
                    Row{"ValidationWithInput", "p A p A e e p A p A !", "t3 t5 v6 v7 t9 t11"},
                    Row{"MetricsNowAndThen", "A A A m A A A m A !", "t2 t3 t5 t6 t7 t9 t10"},
                    Row{"ValidationInOneCall", "A e A e A !", "t3 t5 t6"},
                    Row{"CallsPerLayerAfterTheGradients", "A h h h A h h h A !", "t5 t9 t10"},
                    Row{"CallsPerLayerBeforeTheGradients", "h h h A h h h A h h h A !",
                        "i2 i3 t5 t9 t13"},
                    Row{"TwoPhasesOfTraining", "A A B B !", "t2 t3 t4 t5"},
                    Row{"Accumulation", "A1 A1 A1 u A2 A2 A2 u A3 !", "t5 t9 t10"},
                    Row{"AccumulationWithoutUpdateFunction", "A1 A1 A2 A2 A3 A3 !", "t3 t5 t7"},
                    Row{"SameParametersForever", "A1 A1 A1 !", "t2 t3 t4"},
                    Row{"OtherParametersEachTime", "A1 A2 A3 !", "t2 t3 t4"}),
    [](const auto& row) { return row.param.name; });

TEST(CallRulesTest, EndsEachCallWhenTooManyHaveTheSameParameters) {
  CallRules rules;
  std::size_t ended = 0;
  const std::size_t calls = 2 * CallRules::kMostCallsAStep;
  for (std::uint64_t moment = 1; moment <= calls; ++moment)
    ended += rules.called({1, 1, true, 7}, moment).size();
  EXPECT_EQ(ended, calls - 1);
}

TEST(CallRulesTest, DistinguishesLines) {
  CallRules rules;
  EXPECT_TRUE(rules.called({1, 1, true, 0}, 1).empty());
  EXPECT_TRUE(rules.called({1, 2, true, 0}, 2).empty());
  EXPECT_EQ(rules.called({1, 1, true, 0}, 3).size(), 1u);
}

}  // namespace
}  // namespace laptime::jax
