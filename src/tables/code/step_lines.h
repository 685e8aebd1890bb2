// Table `step_lines`: which lines of the program's own code a mean step of each phase consists of.
//
// self_ns is the line's own time a step, without the timed functions that it called, on the thread
// that steps, over all steps that count (steps.h). So the lines of a phase sum to at most a step,
// and lines that only run outside of steps are left out. gpu_ns: what GPUs did for the line,
// forward and backward, a step in which they were recorded. Rows by phase, the phase with most time
// first, then by the larger of both.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table step_lines_table(const Analysis& analysis);
extern const TableDefinition kStepLinesTable;

}  // namespace laptime
