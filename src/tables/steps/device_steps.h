// Table `device_steps`: steps by category (device_time.h) on each GPU that worked in any step of
// the phase. One row for each step and device.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table device_steps_table(const Analysis& analysis);
extern const TableDefinition kDeviceStepsTable;

}  // namespace laptime
