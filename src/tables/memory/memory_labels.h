// The name of a device in tables. With several processes it includes the process.
#pragma once

#include <optional>
#include <string>

#include "trace/run/run.h"

namespace laptime {

// Unknown for a device without a name.
std::optional<std::string> device_label(const Run& run, std::uint32_t process,
                                        std::uint32_t device);

}  // namespace laptime
