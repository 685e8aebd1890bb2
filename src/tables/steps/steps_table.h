// Tables `steps` and `step_summary`.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// One row for each step.
Table steps_table(const Analysis& analysis);
// One row for each thread and phase, over the steps that count.
Table step_summary_table(const Analysis& analysis);
extern const TableDefinition kStepsTable;
extern const TableDefinition kStepSummaryTable;

}  // namespace laptime
