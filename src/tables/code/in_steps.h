// What lines, functions and scopes took within the steps of a run: what happened before, in warm-up
// and after is left out.
#pragma once

#include <string>
#include <vector>

#include "trace/analysis.h"

namespace laptime {

struct TalliedInSteps {
  std::string phase, file, function;
  std::string source;  // of a line: its text; "" where the run holds none
  double ns_a_step;    // own time, over all steps of the phase that count
};

struct ScopeInSteps {
  std::string phase, name, thread;  // phase: "" of a thread that has no steps: all that it did
                                    // counts, shared by all steps
  double ns_a_step;                 // own time
};

// Contract: the run has steps.
std::vector<ScopeInSteps> sum_scopes_in_steps(const Analysis& analysis);

// `kind`: line or call. Contract: the run has steps. Lines of the same file, function and text are
// one.
std::vector<TalliedInSteps> sum_tallies_in_steps(const Analysis& analysis, TallyKind kind);

}  // namespace laptime
