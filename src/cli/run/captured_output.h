// The output of a short helper command. No shell is used: the words reach the command unchanged.
#pragma once

#include <string>
#include <vector>

namespace laptime {

struct CapturedOutput {
  int exit_code =
      127;           // 127 also if the command could not be started; 128 + n if signal n ended it
  std::string text;  // of stdout
};

enum class HelperErrors { shown, hidden };

// `without`: variables removed from the command's environment.
CapturedOutput capture_output(const std::vector<std::string>& command,
                              const std::vector<std::string>& without, HelperErrors errors);

}  // namespace laptime
