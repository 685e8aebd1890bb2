// What a run reports about its times by line.
#pragma once

#include "trace/run/run.h"

namespace laptime {

// The user chose a recording without the text of the program's files.
bool leaves_source_out(const Process& process);
// False: the lines have inclusive times only.
bool knows_line_self_times(const Process& process);

}  // namespace laptime
