// Where each step went on the host, and how that changed over time.
//
// Table `breakdown_steps`: one row a step, with a column for each category (host_time.h). The
// columns that are known sum to the step's wall time. In steps whose ops rested, what cannot be
// told apart is other_ns.
//
// Table `breakdown_time`: the steps of each thread and phase in at most kMostTimeParts parts of
// equally many steps, one row a part, in their order; all steps count, warmup too. wall_ns and the
// categories are means (mean_step.h): they sum to wall_ns, and wall_ns times steps, over all rows,
// is the time of all steps.
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
