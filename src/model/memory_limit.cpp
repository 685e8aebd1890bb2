#include "model/memory_limit.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace laptime {

namespace {

std::uint64_t machine_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  for (std::uint64_t kib; meminfo >> key >> kib; std::getline(meminfo, unit))
    if (key == "MemAvailable:") return kib * 1024;
  return UINT64_MAX;
}

std::uint64_t address_space_left() {
  rlimit limit;
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::uint64_t available_memory() { return std::min(machine_memory(), address_space_left()); }

}  // namespace laptime
