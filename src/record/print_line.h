// One line on stderr for the user of the program.
#pragma once

#include <string_view>

#include "laptime/laptime.h"

namespace laptime::record {

// Writes "laptime: …", one line, to stderr, directly from a buffer. Usable with any lock held.
LAPTIME_API void print_line(std::string_view message) noexcept;
// Treats the present descriptor 2 as the process's stderr, for tests that capture it.
LAPTIME_API void stderr_was_replaced() noexcept;

}  // namespace laptime::record
