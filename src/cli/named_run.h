// Opens a run that a user named on the command line.
#pragma once

#include <string>

#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

// As load_run. Prints one line on stderr if beside the file there is a folder with records that are
// not in it: of a run that was killed, of one that is being recorded, or of processes that outlived
// theirs.
Result<Run> load_named_run(const std::string& path);

}  // namespace laptime
