#include <cstdio>
#include <fmt/format.h>

#include "cli/command.h"
#include "show/screen_text.h"

namespace laptime {

void print_note(std::string_view line) { fmt::print(stderr, "{}\n", printable(line)); }

}  // namespace laptime
