// Table `device_steps`: where each step went on each GPU that worked in any of its phase, one row a
// step and device. The categories (device_time.h) sum to the step's wall time; copies and
// communication beside something else are columns of their own.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table device_steps_table(const Analysis& analysis);
extern const TableDefinition kDeviceStepsTable;

}  // namespace laptime
