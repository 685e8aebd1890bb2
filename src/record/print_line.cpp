// Writes lines of the recorder to the program's stderr.
//
// Contract: a line never reaches a file of the program, never blocks and never raises a signal. It
// is dropped if descriptor 2 was closed or replaced since this library was loaded, or if the line
// does not fit into the pipe now.
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>

#include "base/os/quiet_write.h"
#include "record/print_line.h"

namespace laptime::record {

namespace {

class OwnStderr {
 public:
  OwnStderr() { was_open_ = ::fstat(STDERR_FILENO, &ours_) == 0; }
  bool takes_a_line() const {
    struct stat now{};
    if (!was_open_ || ::fstat(STDERR_FILENO, &now) != 0 || now.st_dev != ours_.st_dev ||
        now.st_ino != ours_.st_ino)
      return false;
    pollfd writable{STDERR_FILENO, POLLOUT, 0};
    return ::poll(&writable, 1, 0) == 1 && writable.revents == POLLOUT;
  }

 private:
  bool was_open_ = false;
  struct stat ours_{};
};

// Evaluated when the library is loaded, or earlier if another static object has something to
// report.
OwnStderr& own_stderr() {
  static OwnStderr first;
  return first;
}
[[maybe_unused]] const OwnStderr& at_load = own_stderr();

}  // namespace

void stderr_was_replaced() noexcept { own_stderr() = OwnStderr(); }

void print_line(std::string_view message) noexcept {
  if (!own_stderr().takes_a_line()) return;
  char line[512];
  const int n = std::snprintf(line, sizeof line, "laptime: %.*s\n",
                              static_cast<int>(message.size()), message.data());
  const auto length = static_cast<std::size_t>(std::clamp(n, 0, static_cast<int>(sizeof line) - 1));
  write_quietly(STDERR_FILENO, {reinterpret_cast<const std::uint8_t*>(line), length});
}

}  // namespace laptime::record
