// A rule of the advice engine: one way in which training programs lose time, with its detection and
// its price.
//
// Contract: a rule reports what it finds in the evidence, or nothing. The engine (advice.h) decides
// whether a gain is large enough to report. Evidence decides whether there is enough of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/evidence/evidence.h"
#include "advise/evidence/gain.h"
#include "replay/price/changes.h"

namespace laptime {

// high: the time was measured, and the change removes it. medium: the time was measured, and the
// remainder is known by experience. low: the benefit depends on something that was not measured, or
// the gain's interval begins below 1.
enum class Confidence { low, medium, high };

struct Finding {
  std::string file;  // empty: there is no line
  std::uint32_t line = 0;
  std::optional<double> share;  // the share of a step that the finding covers
  std::optional<Gain> gain;     // nothing: it is a risk, or `changes` determine it
  Confidence confidence = Confidence::medium;
  std::string message;  // what was measured, with numbers
  std::string fix;      // what to write instead
  // The changes to a replay, if it can be replayed. The engine and `laptime whatif --rule` predict
  // the gain from them.
  std::optional<replay::Changes> changes = {};
  // The largest possible gain, if it is not 1 / (1 - share).
  std::optional<double> bound = {};
  // Why the rest of the step also gets faster. Then there is no bound.
  const char* also_faster = nullptr;
};

// Whether the training computes the same after the change, except for rounding.
enum class Meaning { kept, changed };

struct Rule {
  const char* name;   // for scripts
  const char* title;  // the problem in a few words
  // The sections of its page, in Markdown: when it speaks, when it says nothing, what to do, how
  // the gain is predicted.
  const char* speaks;
  const char* silent;
  const char* remedy;
  const char* predicts;
  std::vector<Finding> (*find)(const Evidence& evidence);
  Meaning meaning = Meaning::kept;
  // The changes in a replay of any run, by experience. `laptime whatif --rule` uses them if the run
  // has no finding of the rule. Null: the changes depend on the finding.
  replay::Changes (*in_general)() = nullptr;
};

}  // namespace laptime
