// Table `step_lines`: the lines of the program's own code in a mean step of each phase.
//
// self_ns counts only the stepping thread, over all steps that count (steps.h). Waits for the ops
// of compiled functions are divided among the ops' lines (awaited_lines.h). gpu_ns is per step with
// GPU records. Rows by falling time of phases, then by the larger of both columns.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table step_lines_table(const Analysis& analysis);
extern const TableDefinition kStepLinesTable;

}  // namespace laptime
