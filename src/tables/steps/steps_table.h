// Tables of steps: `steps` and `step_summary`.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// Table `steps`: one row a step.
Table steps_table(const Analysis& analysis);
// Table `step_summary`: one row a thread and phase, over the steps that count. `recorded` is
// unknown where steps do not tell, `compile` where none does. `slow`: the outliers and compiling
// steps that count, unknown where there are none; `slow_share`: their share of the time.
Table step_summary_table(const Analysis& analysis);
extern const TableDefinition kStepsTable;
extern const TableDefinition kStepSummaryTable;

}  // namespace laptime
