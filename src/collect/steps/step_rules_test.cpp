// Events in, steps out: every form of training loop that the rules know, as a row of a table.
//
// Events: `get A` (gradients on), `get A off` (off), `get A eval` (a model is in eval mode) request
// a batch. A batch of 4 follows unless `end A` comes next. `drop A`: the iterator is destroyed.
// `made` and `exists`: an optimizer. `zero o`, `step o`: optimizer o's gradients were zeroed, it
// stepped. `skip`: it skipped a step. `back l`: a backward at line l. `eval`, `train`: the model's
// mode. `finish`: the end. The n-th event is at moment n. `@n` after a step: it ended at moment n,
// earlier than now. `n-` before a step: it began at moment n.
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

std::string text_of(const EndedStep& ended) {
  const char* const names[] = {"train", "validation", "inference"};
  const std::string end = ended.moment == 0 ? "" : " @" + std::to_string(ended.moment),
                    begin = ended.begin == 0 ? "" : std::to_string(ended.begin) + "- ";
  return begin + names[static_cast<std::size_t>(ended.phase)] + " " +
         std::to_string(ended.samples) + end;
}

// The steps that the script's events end.
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
    const auto add = [&](const EndedSteps& steps) {
      if (steps.before) all.push_back(text_of(*steps.before));
      ended = steps.now;
    };
    if (verb == "get") {
      ended = rules.request(number, how != "off", how == "eval");
      if (i + 1 == events.size() || events[i + 1] != Words{"end", event[1]})
        rules.received(number, 4, how != "off");
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
      add(rules.backward_ended(number, moment));
    } else if (verb == "train") {
      add(rules.evaluation_ended());
    } else {
      add(verb == "skip" ? rules.optimizer_skipped(moment)
                         : rules.optimizer_stepped(number, moment));
    }
    if (ended) all.push_back(text_of(*ended));
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
    {"a batch, a step", "made; get A; step o; get A; step o; get A; end A", {"train 4", "train 4"}},
    {"accumulation",
     "made; get A; get A; step o; get A; get A; step o; get A; end A",
     {"train 8", "train 8"}},
    {"accumulation without having seen the optimizer made",
     "get A; step o; get A; get A; step o; get A; end A",
     {"train 4", "train 8"}},
    {"an accumulation's rest is stepped after the loop",
     "made; get A; step o; get A; get A; end A; step o; get A; step o; get A; end A",
     {"train 4", "train 4", "train 4"}},
    {"two optimizers, one batch",
     "made; get A; step d; step g; get A; step d; step g; get A; end A",
     {"train 4", "train 4"}},
    {"several steps on one batch",
     "made; get A; step o; step o; step o; get A; step o; get A; end A",
     {"train 4", "train 4"}},
    {"validation without gradients",
     "made; get A; step o; get A; end A; get V off; get V off; get V off; end V; get A; step o; "
     "get A; end A",
     {"train 4", "validation 4", "validation 4", "train 4"}},
    {"validation in the middle of an epoch",
     "made; get A; step o; get V off; get V off; end V; get A; step o; get A; end A",
     {"train 4", "validation 4", "train 4"}},
    {"validation with gradients on",
     "made; get A; step o; get A; end A; get V; get V; get V; end V; get A; step o; get A; end A",
     {"train 4", "validation 4", "validation 4", "train 4"}},
    {"a look at validation data before training",
     "made; get V off; get V off; end V; get A; step o; get A; end A",
     {"validation 4", "train 4"}},
    {"the same in eval mode only",
     "made; get V eval; get V eval; end V; get A; step o; get A; end A",
     {"validation 4", "train 4"}},
    {"a loop that knows its length",
     "made; get A; step o; get A; step o; drop A; get V off; get V off; drop V",
     {"train 4", "train 4", "validation 4", "validation 4"}},
    {"single batches without gradients",
     "get A off; drop A; get A off; drop A; get A off",
     {"inference 4", "inference 4"}},
    {"validation that knows its length, gradients on",
     "made; get A; step o; get A; step o; drop A; get V eval; get V eval; drop V",
     {"train 4", "train 4", "validation 4", "validation 4"}},
    {"training that is broken off", "made; get A; step o; get A; drop A", {"train 4"}},
    {"validation left early",
     "made; get A; step o; get V off; drop V; get A; step o; get A; end A",
     {"train 4", "validation 4", "train 4"}},
    {"one validation batch a step",
     "made; get A; step o; get V off; get A; step o; get V off; get A; end A",
     {"train 4", "validation 4", "train 4", "validation 4"}},
    {"validation on the training loader",
     "made; get A; step o; get A; end A; get A off; get A off; end A",
     {"train 4", "validation 4"}},
    {"validation interrupts an accumulation",
     "made; get A; step o; get A; get V off; get V off; end V; get A; step o; get A; end A",
     {"train 4", "train 4", "validation 4", "train 4"}},
    {"inference", "get A off; get A off; get A off; end A", {"inference 4", "inference 4"}},
    {"inference with gradients on", "get A; get A; get A; end A", {"inference 4", "inference 4"}},
    {"two loaders read together",
     "made; get A; get B; step o; get A; get B; step o; get A; end A",
     {"train 8", "train 8"}},
    {"two loaders read together without gradients",
     "get A off; get B off; get A off; get B off; get A off; end A",
     {"inference 8", "inference 8"}},
    {"a loader in a loader",
     "made; get A; get B; step o; get B; step o; get B; end B; get A; get B; step o; get B; end B; "
     "get A; end A",
     {"train 8", "train 4", "train 8"}},
    {"a batch ahead",
     "made; get A; get A; step o; get A; step o; get A; end A; step o",
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
     "made; get A; get A; get A; end A; step o; step o",
     {"train 0", "train 0"}},
    {"one batch for ever", "made; get A; drop A; step o; step o", {"train 0", "train 0"}},
    {"left early",
     "made; get A; step o; get A; step o; drop A; get B; step o; get B; end B",
     {"train 4", "train 4", "train 4"}},
    {"skipped steps", "made; get A; skip; get A; step o; get A; end A", {"train 4", "train 4"}},
    {"skipped steps without a loader",
     "made; skip; step o; skip",
     {"train 0", "train 0", "train 0"}},
    {"steps in a compiled function",
     "get A; zero o; get A; zero o; get A; zero o; get A; zero o; get A; end A",
     {"train 8", "train 4", "train 4"}},
    {"gradients zeroed before and in the loop",
     "made; zero o; get A; zero o; get A; step o; get A; get A; zero o; step o; get A; end A",
     {"train 4", "train 4", "train 8"}},
    {"accumulation with gradients zeroed first",
     "made; get A; zero o; get A; step o; get A; zero o; get A; step o; get A; end A",
     {"train 8", "train 8"}},
    {"nothing", "", {}},
    // Parameters updated by hand.
    {"own SGD, no loader", "back a; back a; back a", {"train 0", "train 0", "train 0"}},
    {"own SGD, two losses", "back a; back b; back a; back b", {"train 0", "train 0"}},
    {"own SGD, two loops",
     "back a; back a; back b; back b; back b",
     {"train 0", "train 0", "train 0 @3", "train 0", "train 0"}},
    {"own SGD with a loader", "get A; back a; get A; back a; get A; end A", {"train 4", "train 4"}},
    {"own SGD with a loader, two losses",
     "get A; back a; back b; get A; back a; back b; get A; end A",
     {"train 4", "train 4"}},
    {"own SGD with a loader, left early",
     "get A; back a; get A; back a; drop A",
     {"train 4", "train 4"}},
    {"own SGD with validation",
     "get A; back a; get A; back a; get A; end A; get V off; get V off; end V; get A; back a; get "
     "A; end A",
     {"train 4", "train 4", "validation 4", "train 4"}},
    {"own SGD with validation, gradients on",
     "get A; back a; get A; end A; get V eval; get V eval; end V",
     {"train 4", "validation 4"}},
    {"a batch for ever, own SGD", "get A; drop A; back a; back a", {"train 0", "train 0"}},
    {"a backward while an optimizer is used",
     "made; back a; back a; step o; back a; back a; step o",
     {"train 0", "train 0"}},
    {"an optimizer that was there before",
     "exists; back a; back a; step o; back a; back a; step o",
     {"train 0", "train 0"}},
    {"an optimizer of another part of the program",
     "exists; get A off; get A off; end A",
     {"inference 4"}},
    {"an accumulation over a second loader",
     "made; get A; back a; step o; get A; end A; get B; back a; get B; back a; step o; get B; end "
     "B",
     {"train 4", "train 8"}},
    {"an optimizer in a compiled function, no loader",
     "made; zero o; back a; zero o; back a; zero o; back a",
     {"train 0", "train 0"}},
    {"an optimizer after own SGD",
     "back a; back a; made; back a; step o; back a; step o",
     {"train 0", "train 0", "train 0", "train 0"}},
    {"attacks on test data",
     "get A off; get A; back a; get A; back a; get A; end A",
     {"inference 4", "train 4", "train 4"}},
    // The last step.
    {"an iterator that stays",
     "made; get A; step o; get A; step o; finish",
     {"train 4", "train 4 @5"}},
    {"an iterator that stays, own SGD",
     "get A; back a; get A; back a; finish",
     {"train 4", "train 4 @4"}},
    {"a batch that was not trained on", "made; get A; step o; get A; finish", {"train 4"}},
    // Evaluations without a loader.
    {"an evaluation",
     "made; step o; step o; eval; train; step o",
     {"train 0", "train 0", "4- validation 0", "train 0"}},
    {"an evaluation in own SGD",
     "back a; eval; train; back a",
     {"train 0", "2- validation 0", "train 0"}},
    {"an evaluation within a loop over batches",
     "made; get A; step o; eval; train; get A; step o; get A; end A",
     {"train 4 @4", "4- validation 0", "train 4"}},
    {"an evaluation with a loader",
     "made; get A; step o; eval; get V off; get V off; end V; train; get A; end A",
     {"train 4", "validation 4"}},
    {"a model in eval mode that learns",
     "made; step o; eval; back a; train; step o; eval; step o; train",
     {"train 0", "train 0", "train 0"}},
    {"an evaluation amid an accumulation",
     "made; get A; back a; eval; train; get A; back a; step o; get A; end A",
     {"train 8"}},
    {"eval mode before any training", "eval; train; back a", {"train 0"}},
    {"a loader that is empty", "get A; end A; get A; end A", {}},
};

TEST(StepRules, StepsEndWhereTheRulesSay) {
  for (const Case& each : kCases) EXPECT_EQ(play(each.script), each.ended) << each.name;
}

TEST(StepRules, WhatComesBetweenLoopsBelongsToNoStep) {
  StepRules rules;
  rules.optimizer_made();
  EXPECT_FALSE(rules.is_between());  // it has not begun
  EXPECT_FALSE(rules.request(1, true, false));
  rules.received(1, 4, true);
  EXPECT_FALSE(rules.is_between());
  rules.optimizer_stepped(7, 1);
  EXPECT_FALSE(rules.is_between());
  EXPECT_TRUE(rules.request(1, true, false));
  EXPECT_FALSE(rules.is_between());  // there may be another batch
  rules.closed(1);
  EXPECT_TRUE(rules.is_between());
  EXPECT_FALSE(rules.request(2, false, false));
  EXPECT_FALSE(rules.is_between());
}

TEST(StepRules, ALoaderIsLeftBehindByPersistentWorkers) {
  EXPECT_EQ(play("made; get A; " + repeated("step o; ", StepRules::kMostStepsABatch + 9)).size(),
            10u);
}

TEST(StepRules, AnOptimizerThatIsNeverUsedIsForgotten) {
  EXPECT_EQ(play("made; " + repeated("back a; ", StepRules::kMostBackwardsAStep + 9)).size(), 10u);
}

TEST(StepRules, AnOptimizerStepsInsideACompiledFunction) {
  const Words ended = play("made; " + repeated("get A; ", StepRules::kMostBatchesAStep + 3) +
                           "end A; get V off; get V off; end V; get A; get A; end A");
  EXPECT_EQ(ended, (Words{"train " + std::to_string(4 * StepRules::kMostBatchesAStep), "train 4",
                          "train 4", "validation 4", "train 4"}));
}

}  // namespace
}  // namespace laptime::steps
