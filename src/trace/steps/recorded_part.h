// Which part of a run the ops and GPU work in it are from.
//
// They are recorded in some steps only, which say so themselves; and where no steps end, in some
// intervals of time: there the value "ops recorded" is 1 from where they are recorded, 0 from where
// they rest and -1 from where the clock decides no longer (docs/records.md). Of a process that has
// both, both count: recorded steps, and the clock's intervals where no step ended for three seconds
// or more. But what came before the first step counts only if it took longer than all later steps:
// elsewhere it is the program's setting up. What lies in neither counts in no table, because their
// titles do not tell of it.
#pragma once

#include <string>
#include <vector>

#include "trace/run/intervals.h"
#include "trace/steps/steps.h"

namespace laptime {

// By process: the intervals of time that were recorded by the clock and count.
std::vector<Intervals> find_intervals_by_clock(const Run& run, const std::vector<Step>& steps);

// By process: what was not recorded, or counts in no table. What somebody else recorded there (a
// drop-in profile) does not count either. Empty of processes that all of is recorded in.
std::vector<Intervals> find_left_out(const Run& run, const std::vector<Step>& steps);

// The same for what GPUs did, and waits for them. Empty of processes whose GPU work is recorded
// always (JAX): there nothing switches it.
std::vector<Intervals> find_left_out_of_gpu(const Run& run, const std::vector<Step>& steps);

// For titles of tables: ", from 12 of 300 steps"; by the clock ", from 1.20 s of 12.3 s"; or both,
// joined by "and"; empty where nothing says what was recorded.
std::string from_recorded(const Run& run, const std::vector<Step>& steps);
// The same for tables of steps and of what only steps have recorded. `left_out`: recorded steps of
// which the table is not.
std::string from_recorded_steps(const std::vector<Step>& steps, std::size_t left_out = 0);

}  // namespace laptime
