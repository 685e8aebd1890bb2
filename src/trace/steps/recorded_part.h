// The time ranges that have op and GPU records.
//
// Ops may be recorded in some steps only. Each step states whether its ops were recorded. A program
// without steps is recorded by the clock: the counter "ops recorded" is 1 where recording begins, 0
// where it rests, and -1 where the clock stops deciding (docs/records.md).
// If a process has both, both count: recorded steps, and the clock's intervals wherever no step
// ended for three seconds or more. The interval before the first step counts only if it is longer
// than all later steps. Otherwise it is set-up.
// Records outside of these ranges are not counted in tables, because the titles of tables name only
// these.
#pragma once

#include <string>
#include <vector>

#include "trace/run/intervals.h"
#include "trace/steps/steps.h"

namespace laptime {

// By process: the intervals recorded by the clock that count.
std::vector<Intervals> find_intervals_by_clock(const Run& run, const std::vector<Step>& steps);

// By process: the ranges that were not recorded or are not counted. Records of another profiler (a
// drop-in profile) in these ranges are not counted either. Empty for processes that were recorded
// completely.
std::vector<Intervals> find_left_out(const Run& run, const std::vector<Step>& steps);

// The same for GPU work and waits for it. Empty for processes whose GPU work is always recorded
// (JAX).
std::vector<Intervals> find_left_out_of_gpu(const Run& run, const std::vector<Step>& steps);

// For titles of tables: ", from 12 of 300 steps", or by the clock ", from 1.20 s of 12.3 s", or
// both, joined by "and". Empty if the run does not state what was recorded.
std::string from_recorded(const Run& run, const std::vector<Step>& steps);
// The same for tables of steps and of data that only steps record. `left_out`: recorded steps that
// are not in the table.
std::string from_recorded_steps(const std::vector<Step>& steps, std::size_t left_out = 0);

}  // namespace laptime
