#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>
#include <string>

#include "base/os/quiet_write.h"
#include "show/screen_text.h"

namespace laptime {

void keep_closed_streams_closed() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // O_PATH: reading and writing fail as on a closed descriptor. open() takes the lowest free
    // number, which is this one.
    if (::fcntl(stream, F_GETFD) < 0) (void)!::open("/", O_PATH | O_CLOEXEC);
}

void to_stderr(std::string_view text) {
  write_quietly(STDERR_FILENO, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void print_note(std::string_view line) { to_stderr(printable(line) + "\n"); }

}  // namespace laptime
