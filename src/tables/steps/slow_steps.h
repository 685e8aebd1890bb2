// Table `slow_steps`: why slow steps are slow: the time that slow steps take longer than median
// ones, by category and line.
//
// Steps with and without op records are compared separately, because recording takes time. Rows
// `total` and `category` compare means (mean_step.h). Rows `line` compare the line's own time, if
// it is known by step. Lines with less than 1 % of the excess are left out.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table slow_steps_table(const Analysis& analysis);
extern const TableDefinition kSlowStepsTable;

}  // namespace laptime
