// One line on stderr for the user of the program.
#pragma once

#include <string_view>

#include "laptime/laptime.h"

namespace laptime::record {

// "laptime: …", one line on stderr, straight from a buffer: usable with any lock held.
LAPTIME_API void say(std::string_view message) noexcept;
// Descriptor 2 is the process's stderr as it is now: for tests that capture it.
LAPTIME_API void stderr_was_replaced() noexcept;

}  // namespace laptime::record
