#include <unistd.h>
#include <cerrno>

#include "base/os/file.h"
#include "cli/command.h"

namespace laptime {

Status print_result(const std::string& text) {
  const ByteView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (const int error = write_fully(STDOUT_FILENO, bytes))
    return errno_error(ErrorKind::system, "cannot write the result", error);
  return {};
}

}  // namespace laptime
