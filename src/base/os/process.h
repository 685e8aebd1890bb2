// Facts about processes of this machine, from /proc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace laptime {

// The start of a process, in the kernel's clock ticks since boot. 0 if there is no process with
// this number. A number is reused for other processes; the pair of number and start is unique.
std::uint64_t process_start(std::uint32_t pid);
// 0 if there is no process with this number.
std::uint32_t parent_of(std::uint32_t pid);
// Processes that this user may inspect, started with this entry in their environment ("KEY=value"),
// that have mapped a file whose path contains `library`. A forked process has its parent's
// environment.
std::vector<std::uint32_t> processes_with(std::string_view entry, std::string_view library);
// Stopped by SIGSTOP or a similar signal, or by a debugger.
bool is_stopped(std::uint32_t pid);

}  // namespace laptime
