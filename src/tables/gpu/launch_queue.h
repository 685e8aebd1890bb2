// Table `launch_queue`: how much work the host has launched ahead of each GPU, step by step.
//
// A kernel, copy or fill is in the queue from the end of the call that launched it until it starts;
// depth is how many are. Median and maximum are over the time of the step, empty_share is the part
// of it in which nothing waited: a GPU that finishes then has to wait for the host. lead is how
// long the work launched in the step was in the queue: how far the host runs ahead. A run without
// steps is one row, or one for each interval that was recorded by the clock.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table launch_queue_table(const Analysis& analysis);
extern const TableDefinition kLaunchQueueTable;

}  // namespace laptime
