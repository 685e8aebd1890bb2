// Steps by category, and how that changed over time.
//
// Table `breakdown_steps`: one row for each step, one column for each category (host_time.h). The
// known columns sum to the step's wall time. In steps whose ops rested, the undivided time is
// other_ns.
//
// Table `breakdown_time`: the steps of each thread and phase, in at most kMostTimeParts parts with
// equally many steps. All steps count, also the warmup. The categories are means (mean_step.h) that
// sum to wall_ns. wall_ns times steps, over all rows, is the time of all steps.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table breakdown_steps_table(const Analysis& analysis);

inline constexpr std::size_t kMostTimeParts = 20;
Table breakdown_time_table(const Analysis& analysis);
extern const TableDefinition kBreakdownStepsTable;
extern const TableDefinition kBreakdownTimeTable;

}  // namespace laptime
