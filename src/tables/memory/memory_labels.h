// What tables call a device: its name, and the process as well where the run has several.
#pragma once

#include <optional>
#include <string>

#include "trace/run/run.h"

namespace laptime {

// Unknown for a device without a name.
std::optional<std::string> device_label(const Run& run, std::uint32_t process,
                                        std::uint32_t device);

}  // namespace laptime
