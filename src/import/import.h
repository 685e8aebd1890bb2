// Turns files of other profilers into a run. What a file is, its first bytes say, not its name.
#pragma once

#include <string>
#include <vector>

#include "base/sink.h"
#include "base/status.h"

namespace laptime {

// One part a file, in the order given. An error names the file it is about.
Status import_files(const std::vector<std::string>& paths, Sink& out);

}  // namespace laptime
