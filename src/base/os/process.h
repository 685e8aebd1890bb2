// Facts about processes of this machine, from /proc.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace laptime {

// When a process began, in the kernel's clock ticks since boot; 0 if there is none of that number.
// A number is used again for another process, the pair of both is not.
std::uint64_t process_start(std::uint32_t pid);
// 0 if there is none of that number.
std::uint32_t parent_of(std::uint32_t pid);
// Processes that this user may look into, that were started with this entry in their environment
// ("KEY=value") and have a file mapped whose path contains `library`. A forked process has its
// parent's environment.
std::vector<std::uint32_t> processes_with(std::string_view entry, std::string_view library);
// By SIGSTOP and its kin, or by a debugger.
bool is_stopped(std::uint32_t pid);

}  // namespace laptime
