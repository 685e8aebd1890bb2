#include "base/process.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace laptime {

namespace {

constexpr int kState = 3, kParent = 4, kStart = 22;  // fields of /proc/PID/stat, see proc(5)

class ProcessStat {
 public:
  explicit ProcessStat(std::uint32_t pid) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%u/stat", pid);
    const UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
    const ssize_t n = fd ? ::read(fd.get(), text_, sizeof text_ - 1) : 0;
    text_[std::max<ssize_t>(n, 0)] = '\0';
  }

  // Field 2, the name, may hold blanks and brackets: fields are counted from its end. Empty if there is no such process.
  const char* field(int number) const {
    const char* at = std::strrchr(text_, ')');
    for (int i = 2; at && i < number; ++i) at = std::strchr(at + 1, ' ');
    return at ? at + 1 : "";
  }
  std::uint64_t number(int field_number) const { return std::strtoull(field(field_number), nullptr, 10); }

 private:
  char text_[1024];
};

}  // namespace

std::uint64_t process_start(std::uint32_t pid) {
  const ProcessStat stat(pid);
  return *stat.field(kState) == 'Z' ? 0 : stat.number(kStart);
}

std::uint32_t parent_of(std::uint32_t pid) { return static_cast<std::uint32_t>(ProcessStat(pid).number(kParent)); }

bool is_stopped(std::uint32_t pid) {
  const char state = *ProcessStat(pid).field(kState);
  return state == 'T' || state == 't';
}

}  // namespace laptime
