// Table `slow_steps`: why slow steps are slow: what a phase's slow steps spent more than its median
// ones.
//
// Slow are outliers and steps that compile. If there are none, they are the steps over the 95th
// percentile of wall times. Median steps are the middle fifth. Steps whose ops were recorded
// compare with their own kind, because recording takes its time. Fewer than 20 of a kind say
// nothing. Rows `total` and `category`: means by step (mean_step.h). The categories' excess sums to
// the total's; share is the part of it. Rows `line`: the line's own time a step (without the timed
// functions that it called), where it is known by step; lines that slow steps spend less on, or
// less than 1 % of the excess more, are left out.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table slow_steps_table(const Analysis& analysis);
extern const TableDefinition kSlowStepsTable;

}  // namespace laptime
