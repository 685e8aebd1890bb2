// Table `phases`: what the whole run's time went to on each thread that steps.
//
// Rows: the steps of each phase that count (steps.h); the others ("train, warm-up", "train,
// pauses"); checkpoints, which are taken off the steps in which they were made; and what lies
// before, between and after the steps. What lies between steps is a row for each function in which
// it spends most time, if that is at least 1 % of the run.
//
// The rows of a thread sum to the run's duration. share is of that; mean_ns is of one step or
// interval. file, line, function and source: the line with the most time of its own there, line_ns
// that time; unknown where no line was timed.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table phases_table(const Analysis& analysis);
extern const TableDefinition kPhasesTable;

}  // namespace laptime
