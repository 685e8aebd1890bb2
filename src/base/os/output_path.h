// Resolves the output that a user named: the file to replace, or the descriptor to write to.
#pragma once

#include <optional>
#include <string>

namespace laptime {

struct OutputPath {
  std::string file;  // with links followed
  // if it names one of ours: /dev/stdout, /dev/fd/3, /proc/self/fd/3
  std::optional<int> descriptor;
  bool is_replaceable;  // a regular file, or nothing yet; devices and FIFOs are written directly
};

OutputPath resolve_output(const std::string& path);

}  // namespace laptime
