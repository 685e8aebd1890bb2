// Detects NVIDIA's own profilers, which do not share a GPU. Nsight Compute refuses to start a
// program whose environment names another tool's library. Nsight Systems holds CUPTI.
#pragma once

namespace laptime {

// The name of the profiler that started this process, or null. Detected from the environment that
// the profiler sets.
const char* nsight_around();

}  // namespace laptime
