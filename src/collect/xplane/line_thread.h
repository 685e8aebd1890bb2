// The thread of this process that a line of its profile is about.
#pragma once

#include <cstdint>

namespace laptime {

// The kernel's id of the thread, or `line_id` itself if the thread is unknown or has ended.
//
// Assumption: a line's id is the kernel's id, or libstdc++'s hash of the thread's pthread_t (TSL
// 2025 and later). The hash of 8 bytes can be inverted. The C library keeps the kernel's id in the
// memory that a pthread_t points to, at one offset for all threads.
std::uint64_t thread_of_line(std::uint64_t line_id);

}  // namespace laptime
