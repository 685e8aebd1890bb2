// Steps as tallies count them: by process, in the order of their ends.
#pragma once

#include <span>
#include <vector>

#include "trace/run/run.h"
#include "trace/steps/steps.h"

namespace laptime::replay {

// `steps`: all of the run, which outlive the result.
std::vector<std::vector<const Step*>> tallied_steps(const Run& run, std::span<const Step> steps);

}  // namespace laptime::replay
