// Which processes may make batches for one that steps.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

// By process: not those that another process which steps has started, as each rank starts its own.
std::vector<bool> may_work_for(const Run& run, std::uint32_t process);

}  // namespace laptime
