// What a table calls a track: the thread's name, and the process as well where the run has several.
#pragma once

#include <string>

#include "model/run.h"

namespace laptime {

std::string thread_label(const Run& run, const Track& track);

}  // namespace laptime
