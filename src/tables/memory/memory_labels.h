// What tables call a device: its name, and the process as well where the run has several.
#pragma once

#include "tables/run/table.h"
#include "trace/run/run.h"

namespace laptime {

// Unknown for a device without a name.
Cell device_label(const Run& run, std::uint32_t process, std::uint32_t device);

}  // namespace laptime
