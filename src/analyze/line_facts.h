// What a run says about its times by line.
#pragma once

#include <string_view>

#include "model/run.h"

namespace laptime {

// Where the program ran: relative names of source files are found from there. Empty: unknown.
std::string_view program_directory(const Run& run);
// False: the lines' times are inclusive only.
bool knows_line_self_times(const Process& process);

}  // namespace laptime
