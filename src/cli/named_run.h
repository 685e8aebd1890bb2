// Opens a run named on the command line.
#pragma once

#include <string>

#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

// Like load_run. Prints one line on stderr if a folder beside the file has records that the file
// lacks: of a killed run, of one being recorded, or of processes that outlived their run.
Result<Run> load_named_run(const std::string& path);

}  // namespace laptime
