// Events in, steps out: every shape of a training loop that the rules know, as a line of a table.
//
// Events: `ask A` (gradients on), `ask A off` (off), `ask A eval` (a model is in eval mode), each
// followed by a batch of 4 unless `end A` follows at once; `drop A`: the iterator is gone; `made`;
// `exists`; `zero o`, `step o`: optimizer o's gradients were zeroed, it stepped; `skip`; `back l`:
// a backward at line l; `eval`, `train`: the model's mode; `finish`. The n-th event is at moment n:
// `@n` behind a step is when it ended, where that was before, `n-` before it when it began.
#include "collect/steps/step_rules.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace laptime::steps {
namespace {

using Words = std::vector<std::string>;

std::vector<Words> events_of(const std::string& script) {
  std::vector<Words> events;
  std::istringstream all(script);
  for (std::string event; std::getline(all, event, ';');) {
    std::istringstream words(event);
    Words found;
    for (std::string word; words >> word;) found.push_back(word);
    if (!found.empty()) events.push_back(std::move(found));
  }
  return events;
}

std::string told(const EndedStep& ended) {
  const char* const names[] = {"train", "validation", "inference"};
  const std::string end = ended.moment == 0 ? "" : " @" + std::to_string(ended.moment),
                    begin = ended.begin == 0 ? "" : std::to_string(ended.begin) + "- ";
  return begin + names[static_cast<std::size_t>(ended.phase)] + " " +
         std::to_string(ended.samples) + end;
}

// What the steps are that the script ends.
Words play(const std::string& script) {
  StepRules rules;
  Words all;
  const std::vector<Words> events = events_of(script);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Words& event = events[i];
    const std::string& verb = event[0];
    const std::int64_t number = event.size() > 1 ? event[1][0] : 0;
    const std::string how = event.size() > 2 ? event[2] : "";
    const std::uint64_t moment = i + 1;
    std::optional<EndedStep> ended;
    const auto told_of = [&](const EndedSteps& steps) {
      if (steps.before) all.push_back(told(*steps.before));
      ended = steps.now;
    };
    if (verb == "ask") {
      ended = rules.ask(number, how != "off", how == "eval");
      if (i + 1 == events.size() || events[i + 1] != Words{"end", event[1]})
        rules.got(number, 4, how != "off");
    } else if (verb == "end") {
      rules.closed(number);
    } else if (verb == "drop") {
      ended = rules.dropped(number);
    } else if (verb == "zero") {
      rules.gradients_zeroed(number);
    } else if (verb == "made") {
      rules.optimizer_made();
    } else if (verb == "eval") {
      rules.evaluation_began(moment);
    } else if (verb == "exists") {
      rules.optimizer_exists();
    } else if (verb == "finish") {
      ended = rules.finished();
    } else if (verb == "back") {
      told_of(rules.backward_ended(number, moment));
    } else if (verb == "train") {
      told_of(rules.evaluation_ended());
    } else {
      told_of(verb == "skip" ? rules.optimizer_skipped(moment)
                             : rules.optimizer_stepped(number, moment));
    }
    if (ended) all.push_back(told(*ended));
  }
  return all;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

struct Case {
  const char* name;
  const char* script;
  Words ended;
};

const Case kCases[] = {
    {"a batch, a step", "made; ask A; step o; ask A; step o; ask A; end A", {"train 4", "train 4"}},
    {"accumulation",
     "made; ask A; ask A; step o; ask A; ask A; step o; ask A; end A",
     {"train 8", "train 8"}},
    {"accumulation without having seen the optimizer made",
     "ask A; step o; ask A; ask A; step o; ask A; end A",
     {"train 4", "train 8"}},
    {"an accumulation's rest is stepped after the loop",
     "made; ask A; step o; ask A; ask A; end A; step o; ask A; step o; ask A; end A",
     {"train 4", "train 4", "train 4"}},
    {"two optimizers, one batch",
     "made; ask A; step d; step g; ask A; step d; step g; ask A; end A",
     {"train 4", "train 4"}},
    {"several steps on one batch",
     "made; ask A; step o; step o; step o; ask A; step o; ask A; end A",
     {"train 4", "train 4"}},
    {"validation without gradients",
     "made; ask A; step o; ask A; end A; ask V off; ask V off; ask V off; end V; ask A; step o; "
     "ask A; end A",
     {"train 4", "validation 4", "validation 4", "train 4"}},
    {"validation in the middle of an epoch",
     "made; ask A; step o; ask V off; ask V off; end V; ask A; step o; ask A; end A",
     {"train 4", "validation 4", "train 4"}},
    {"validation with gradients on",
     "made; ask A; step o; ask A; end A; ask V; ask V; ask V; end V; ask A; step o; ask A; end A",
     {"train 4", "validation 4", "validation 4", "train 4"}},
    {"a look at validation data before training",
     "made; ask V off; ask V off; end V; ask A; step o; ask A; end A",
     {"validation 4", "train 4"}},
    {"the same in eval mode only",
     "made; ask V eval; ask V eval; end V; ask A; step o; ask A; end A",
     {"validation 4", "train 4"}},
    {"a loop that knows its length",
     "made; ask A; step o; ask A; step o; drop A; ask V off; ask V off; drop V",
     {"train 4", "train 4", "validation 4", "validation 4"}},
    {"single batches without gradients",
     "ask A off; drop A; ask A off; drop A; ask A off",
     {"inference 4", "inference 4"}},
    {"validation that knows its length, gradients on",
     "made; ask A; step o; ask A; step o; drop A; ask V eval; ask V eval; drop V",
     {"train 4", "train 4", "validation 4", "validation 4"}},
    {"training that is broken off", "made; ask A; step o; ask A; drop A", {"train 4"}},
    {"validation left early",
     "made; ask A; step o; ask V off; drop V; ask A; step o; ask A; end A",
     {"train 4", "validation 4", "train 4"}},
    {"one validation batch a step",
     "made; ask A; step o; ask V off; ask A; step o; ask V off; ask A; end A",
     {"train 4", "validation 4", "train 4", "validation 4"}},
    {"validation on the training loader",
     "made; ask A; step o; ask A; end A; ask A off; ask A off; end A",
     {"train 4", "validation 4"}},
    {"validation interrupts an accumulation",
     "made; ask A; step o; ask A; ask V off; ask V off; end V; ask A; step o; ask A; end A",
     {"train 4", "train 4", "validation 4", "train 4"}},
    {"inference", "ask A off; ask A off; ask A off; end A", {"inference 4", "inference 4"}},
    {"inference with gradients on", "ask A; ask A; ask A; end A", {"inference 4", "inference 4"}},
    {"two loaders read together",
     "made; ask A; ask B; step o; ask A; ask B; step o; ask A; end A",
     {"train 8", "train 8"}},
    {"two loaders read together without gradients",
     "ask A off; ask B off; ask A off; ask B off; ask A off; end A",
     {"inference 8", "inference 8"}},
    {"a loader in a loader",
     "made; ask A; ask B; step o; ask B; step o; ask B; end B; ask A; ask B; step o; ask B; end B; "
     "ask A; end A",
     {"train 8", "train 4", "train 8"}},
    {"a batch ahead",
     "made; ask A; ask A; step o; ask A; step o; ask A; end A; step o",
     {"train 8", "train 4", "train 0"}},
    {"no loader", "made; step o; step o; step o", {"train 0", "train 0", "train 0"}},
    {"no loader, two optimizers in turn",
     "made; step d; step g; step d; step g",
     {"train 0", "train 0"}},
    {"no loader, another optimizer takes over",
     "step a; step a; step b; step b; step b",
     {"train 0", "train 0", "train 0 @3", "train 0", "train 0"}},
    {"no loader, two others take turns after it",
     "made; step a; step a; step b; step c; step b; step c; step b",
     {"train 0", "train 0", "train 0 @4", "train 0", "train 0"}},
    {"batches kept in a list first",
     "made; ask A; ask A; ask A; end A; step o; step o",
     {"train 0", "train 0"}},
    {"one batch for ever", "made; ask A; drop A; step o; step o", {"train 0", "train 0"}},
    {"left early",
     "made; ask A; step o; ask A; step o; drop A; ask B; step o; ask B; end B",
     {"train 4", "train 4", "train 4"}},
    {"skipped steps", "made; ask A; skip; ask A; step o; ask A; end A", {"train 4", "train 4"}},
    {"skipped steps without a loader",
     "made; skip; step o; skip",
     {"train 0", "train 0", "train 0"}},
    {"steps in a compiled function",
     "ask A; zero o; ask A; zero o; ask A; zero o; ask A; zero o; ask A; end A",
     {"train 8", "train 4", "train 4"}},
    {"gradients zeroed before and in the loop",
     "made; zero o; ask A; zero o; ask A; step o; ask A; ask A; zero o; step o; ask A; end A",
     {"train 4", "train 4", "train 8"}},
    {"accumulation with gradients zeroed first",
     "made; ask A; zero o; ask A; step o; ask A; zero o; ask A; step o; ask A; end A",
     {"train 8", "train 8"}},
    {"nothing", "", {}},
    // Parameters updated by hand.
    {"own SGD, no loader", "back a; back a; back a", {"train 0", "train 0", "train 0"}},
    {"own SGD, two losses", "back a; back b; back a; back b", {"train 0", "train 0"}},
    {"own SGD, two loops",
     "back a; back a; back b; back b; back b",
     {"train 0", "train 0", "train 0 @3", "train 0", "train 0"}},
    {"own SGD with a loader", "ask A; back a; ask A; back a; ask A; end A", {"train 4", "train 4"}},
    {"own SGD with a loader, two losses",
     "ask A; back a; back b; ask A; back a; back b; ask A; end A",
     {"train 4", "train 4"}},
    {"own SGD with a loader, left early",
     "ask A; back a; ask A; back a; drop A",
     {"train 4", "train 4"}},
    {"own SGD with validation",
     "ask A; back a; ask A; back a; ask A; end A; ask V off; ask V off; end V; ask A; back a; ask "
     "A; end A",
     {"train 4", "train 4", "validation 4", "train 4"}},
    {"own SGD with validation, gradients on",
     "ask A; back a; ask A; end A; ask V eval; ask V eval; end V",
     {"train 4", "validation 4"}},
    {"a batch for ever, own SGD", "ask A; drop A; back a; back a", {"train 0", "train 0"}},
    {"a backward while an optimizer is used",
     "made; back a; back a; step o; back a; back a; step o",
     {"train 0", "train 0"}},
    {"an optimizer that was there before",
     "exists; back a; back a; step o; back a; back a; step o",
     {"train 0", "train 0"}},
    {"an optimizer of another part of the program",
     "exists; ask A off; ask A off; end A",
     {"inference 4"}},
    {"an accumulation over a second loader",
     "made; ask A; back a; step o; ask A; end A; ask B; back a; ask B; back a; step o; ask B; end "
     "B",
     {"train 4", "train 8"}},
    {"an optimizer in a compiled function, no loader",
     "made; zero o; back a; zero o; back a; zero o; back a",
     {"train 0", "train 0"}},
    {"an optimizer after own SGD",
     "back a; back a; made; back a; step o; back a; step o",
     {"train 0", "train 0", "train 0", "train 0"}},
    {"attacks on test data",
     "ask A off; ask A; back a; ask A; back a; ask A; end A",
     {"inference 4", "train 4", "train 4"}},
    // The last step.
    {"an iterator that stays",
     "made; ask A; step o; ask A; step o; finish",
     {"train 4", "train 4 @5"}},
    {"an iterator that stays, own SGD",
     "ask A; back a; ask A; back a; finish",
     {"train 4", "train 4 @4"}},
    {"a batch that was not trained on", "made; ask A; step o; ask A; finish", {"train 4"}},
    // Evaluations without a loader.
    {"an evaluation",
     "made; step o; step o; eval; train; step o",
     {"train 0", "train 0", "4- validation 0", "train 0"}},
    {"an evaluation in own SGD",
     "back a; eval; train; back a",
     {"train 0", "2- validation 0", "train 0"}},
    {"an evaluation within a loop over batches",
     "made; ask A; step o; eval; train; ask A; step o; ask A; end A",
     {"train 4 @4", "4- validation 0", "train 4"}},
    {"an evaluation with a loader",
     "made; ask A; step o; eval; ask V off; ask V off; end V; train; ask A; end A",
     {"train 4", "validation 4"}},
    {"a model in eval mode that learns",
     "made; step o; eval; back a; train; step o; eval; step o; train",
     {"train 0", "train 0", "train 0"}},
    {"an evaluation amid an accumulation",
     "made; ask A; back a; eval; train; ask A; back a; step o; ask A; end A",
     {"train 8"}},
    {"eval mode before any training", "eval; train; back a", {"train 0"}},
    {"a loader that is empty", "ask A; end A; ask A; end A", {}},
};

TEST(StepRules, StepsEndWhereTheRulesSay) {
  for (const Case& each : kCases) EXPECT_EQ(play(each.script), each.ended) << each.name;
}

TEST(StepRules, WhatComesBetweenLoopsBelongsToNoStep) {
  StepRules rules;
  rules.optimizer_made();
  EXPECT_FALSE(rules.is_between());  // it has not begun
  EXPECT_FALSE(rules.ask(1, true, false));
  rules.got(1, 4, true);
  EXPECT_FALSE(rules.is_between());
  rules.optimizer_stepped(7, 1);
  EXPECT_FALSE(rules.is_between());
  EXPECT_TRUE(rules.ask(1, true, false));
  EXPECT_FALSE(rules.is_between());  // there may be another batch
  rules.closed(1);
  EXPECT_TRUE(rules.is_between());
  EXPECT_FALSE(rules.ask(2, false, false));
  EXPECT_FALSE(rules.is_between());
}

TEST(StepRules, ALoaderIsLeftBehindByPersistentWorkers) {
  EXPECT_EQ(play("made; ask A; " + repeated("step o; ", StepRules::kMostStepsABatch + 9)).size(),
            10u);
}

TEST(StepRules, AnOptimizerThatIsNeverUsedIsForgotten) {
  EXPECT_EQ(play("made; " + repeated("back a; ", StepRules::kMostBackwardsAStep + 9)).size(), 10u);
}

TEST(StepRules, AnOptimizerStepsInsideACompiledFunction) {
  const Words ended = play("made; " + repeated("ask A; ", StepRules::kMostBatchesAStep + 3) +
                           "end A; ask V off; ask V off; end V; ask A; ask A; end A");
  EXPECT_EQ(ended, (Words{"train " + std::to_string(4 * StepRules::kMostBatchesAStep), "train 4",
                          "train 4", "validation 4", "train 4"}));
}

}  // namespace
}  // namespace laptime::steps
