// A rule of the advice engine: one way in which training programs lose time, told from a run and
// priced.
//
// Contract: a rule looks at the evidence and says what it found, or nothing. It leaves to the
// engine (advice.h) whether a finding is worth saying: whether its gain is large enough. Whether
// its own evidence suffices it asks Evidence, which knows what is thin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/evidence/evidence.h"
#include "advise/evidence/gain.h"
#include "replay/price/changes.h"

namespace laptime {

// high: measured, and the change removes it. medium: measured, and what is left after the change is
// experience. low: what the change brings depends on something that was not measured, or the
// interval of the gain begins below 1.
enum class Confidence { low, medium, high };

struct Finding {
  std::string file;  // empty: there is no line to name
  std::uint32_t line = 0;
  std::optional<double> share;  // of a step, that the finding is about
  std::optional<Gain> gain;     // nothing: it is a risk, not a loss of time; or `changes` say it
  Confidence confidence = Confidence::medium;
  std::string message;  // what was seen, with numbers
  std::string fix;      // what to write instead
  // What following it changes, where that can be replayed: the engine predicts the gain from it,
  // and `laptime whatif --rule` the same.
  std::optional<replay::Changes> changes = {};
  // The most that arithmetic allows, if it is not 1 / (1 - share).
  std::optional<double> bound = {};
  // Why the rest of the step runs faster, too: then there is no bound.
  const char* also_faster = nullptr;
};

// Whether the training computes the same after the change, but for the last digits.
enum class Meaning { kept, changed };

struct Rule {
  const char* name;   // as scripts know it
  const char* title;  // what programs do that it is about, in a few words
  // Its page: when it speaks, when it says nothing, what to do, how the gain is predicted.
  // Markdown.
  const char* speaks;
  const char* silent;
  const char* remedy;
  const char* predicts;
  std::vector<Finding> (*find)(const Evidence& evidence);
  Meaning meaning = Meaning::kept;
  // What following the rule changes in a replay of any run, by experience. `laptime whatif --rule`
  // uses it where the run has no finding of the rule. Null: the change depends on the finding.
  replay::Changes (*in_general)() = nullptr;
};

}  // namespace laptime
