// A run in one sentence: the largest parts of the main phase's step, whether the machine was busy,
// whether few slow steps take much of the time, and whether most of the run is outside of steps.
#pragma once

#include <string>

#include "trace/analysis.h"

namespace laptime {

// Empty if the run has no steps that count.
std::string verdict(const Analysis& analysis);

}  // namespace laptime
