// Which part of a run the ops and GPU work in it are from.
//
// They are recorded in some steps only, which say so themselves; and in a process that makes no steps, or none yet, in some stretches of time: there
// the value "ops recorded" is 1 from where they are recorded, 0 from where they rest and -1 from where the clock decides no longer (docs/records.md). Where steps
// came later, what was recorded before them counts in no table: tables say "from N of M steps".
#pragma once

#include <string>
#include <vector>

#include "analyze/analysis.h"
#include "analyze/stretches.h"

namespace laptime {

// By process: of one without steps, the stretches of time that were recorded by the clock.
std::vector<Stretches> find_stretches_by_clock(const Analysis& analysis);

// By process: what rested, steps or stretches of time, and what was recorded before steps came. What somebody else recorded there (a drop-in profile)
// does not count.
std::vector<Stretches> find_left_out(const Run& run, const std::vector<Step>& steps);

// The same for what GPUs did, and waits for them. Empty of processes whose GPU work is recorded always (JAX): there nothing switches it.
std::vector<Stretches> find_left_out_of_gpu(const Run& run, const std::vector<Step>& steps);

// For titles of tables: ", from 12 of 300 steps"; of processes without steps ", from 1.20 s of 12.3 s"; empty where nothing says what was
// recorded.
std::string from_recorded(const Analysis& analysis);

}  // namespace laptime
