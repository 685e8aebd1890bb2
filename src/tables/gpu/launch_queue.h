// Table `launch_queue`: how much work the host has launched ahead of each GPU, by step.
//
// A kernel, copy or fill is in the queue from the end of its launching call until it starts. Depth
// is the amount of such work. While the queue is empty (empty_share), a GPU that finishes must wait
// for the host. Lead is the time that the step's work spent in the queue.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table launch_queue_table(const Analysis& analysis);
extern const TableDefinition kLaunchQueueTable;

}  // namespace laptime
