// The processes that may make batches for a process with steps.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

// By process. Excluded are those started by another process with steps, because each rank starts
// its own.
std::vector<bool> may_work_for(const Run& run, std::uint32_t process);

}  // namespace laptime
