// Times of lines, functions and scopes within the steps of a run. Time before, during warm-up and
// after is left out.
#pragma once

#include <string>
#include <vector>

#include "trace/analysis.h"

namespace laptime {

struct TalliedInSteps {
  std::string phase, file, function;
  std::string source;  // of a line: its text; "" if the run has none
  double ns_a_step;    // own time, over all counted steps of the phase
};

struct ScopeInSteps {
  // phase: "" for a thread without steps. All of such a thread counts, and is divided by all steps.
  std::string phase, name, thread;
  double ns_a_step;  // own time
};

// Contract: the run has steps.
std::vector<ScopeInSteps> sum_scopes_in_steps(const Analysis& analysis);

// `kind`: line or call. Contract: the run has steps. Lines with the same file, function and text
// are merged.
std::vector<TalliedInSteps> sum_tallies_in_steps(const Analysis& analysis, TallyKind kind);

}  // namespace laptime
