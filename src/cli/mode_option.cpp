#include <memory>

#include "cli/command.h"

namespace laptime {

namespace {

std::string problem_of_mode(const std::string& text) {
  const bool is_octal = (text.size() == 3 || (text.size() == 4 && text[0] == '0')) &&
                        text.find_first_not_of("01234567") == std::string::npos;
  return is_octal ? "" : "a mode is three octal digits such as 640, not " + text;
}

}  // namespace

void add_mode_option(CLI::App& command, mode_t& mode) {
  command
      .add_option_function<std::string>(
          "--mode",
          [&mode](const std::string& text) {
            mode = static_cast<mode_t>(std::stoul(text, nullptr, 8));
          },
          "Permissions of the run, e.g. 640. Default: 600, because command lines may contain "
          "secrets")
      ->type_name("MODE")
      ->check(&problem_of_mode);
}

}  // namespace laptime
