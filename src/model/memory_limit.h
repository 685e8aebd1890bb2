// How much memory a reader may still take, asked before it believes a file's counts.
#pragma once

#include <cstdint>

namespace laptime {

// The least of what the machine has available and what is left under this process's address-space limit (ulimit -v).
// UINT64_MAX when neither can be told.
std::uint64_t available_memory();

}  // namespace laptime
