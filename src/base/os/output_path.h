// Where an output that a user named really goes: which file is replaced, or which descriptor is
// written through.
#pragma once

#include <optional>
#include <string>

namespace laptime {

struct OutputPath {
  std::string file;               // with links followed
  std::optional<int> descriptor;  // it names one of ours: /dev/stdout, /dev/fd/3, /proc/self/fd/3
  bool is_replaceable;  // a regular file, or nothing yet; a device or FIFO is written through
};

OutputPath resolve_output(const std::string& path);

}  // namespace laptime
