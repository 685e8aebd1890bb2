// Which part of a run the ops and GPU work in it are from.
//
// They are recorded in some steps only, which say so themselves; and in a program that makes no steps, or none yet, in some stretches of time: there
// the value "ops recorded" of a thread goes up and down (docs/records.md).
#pragma once

#include <string>
#include <vector>

#include "analyze/analysis.h"
#include "analyze/stretches.h"

namespace laptime {

// By process: the stretches of time that were recorded without steps.
std::vector<Stretches> find_stretches_by_clock(const Run& run);

// By process: steps whose ops were not recorded, or only in part, and what lies between stretches that were recorded by the clock.
std::vector<Stretches> find_rested(const Analysis& analysis);

// For titles of tables: ", from 12 of 300 steps"; of a program without steps ", from 1.20 s of 12.3 s"; empty where nothing says what was
// recorded.
std::string from_recorded(const Analysis& analysis);

}  // namespace laptime
