// Table `breakdown`: the mean step of each phase by category: on the host (host_time.h) and on each
// GPU (device_breakdown.h).
//
// Wall time and the categories known in every step are means over all steps that count (steps.h).
// The remainder is divided as in the steps whose ops were recorded (mean_step.h). So the categories
// sum to the mean wall time.
//
// If no slow step has ops, the extra time of slow steps is the row "not recorded". If no step has
// ops, the remainder is the row "python and ops", or "other" if the program is not Python. Rows
// without time are left out. So are phases of which only "other" is known.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table breakdown_table(const Analysis& analysis);
extern const TableDefinition kBreakdownTable;

}  // namespace laptime
