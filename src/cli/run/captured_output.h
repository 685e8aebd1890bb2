// What a short helper command prints. No shell takes part: the words reach the command as they are.
#pragma once

#include <string>
#include <vector>

namespace laptime {

struct CapturedOutput {
  int exit_code =
      127;  // 127 also where the command could not be started, 128 + n where signal n ended it
  std::string text;  // of stdout
};

enum class HelperErrors { shown, hidden };

// `without`: variables that the command does not get.
CapturedOutput capture_output(const std::vector<std::string>& command,
                              const std::vector<std::string>& without, HelperErrors errors);

}  // namespace laptime
