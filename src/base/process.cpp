#include "base/process.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace laptime {

namespace {

// A field of /proc/PID/stat by its number in proc(5), above 2. The second, the name, may hold blanks and brackets.
std::uint64_t stat_field(std::uint32_t pid, int number) {
  char path[32], text[1024];
  std::snprintf(path, sizeof path, "/proc/%u/stat", pid);
  const UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t n = fd ? ::read(fd.get(), text, sizeof text - 1) : 0;
  if (n <= 0) return 0;
  text[n] = '\0';
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at && field < number; ++field) at = std::strchr(at + 1, ' ');
  return at ? std::strtoull(at + 1, nullptr, 10) : 0;
}

}  // namespace

std::uint64_t process_start(std::uint32_t pid) { return stat_field(pid, 22); }
std::uint32_t parent_of(std::uint32_t pid) { return static_cast<std::uint32_t>(stat_field(pid, 4)); }

}  // namespace laptime
