// Table `memory_devices`: each device's peak, what the caching allocator held of it then and how
// much of that no block used, and how much memory the device has. One row a device and process.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table memory_devices_table(const Analysis& analysis);
extern const TableDefinition kMemoryDevicesTable;

}  // namespace laptime
