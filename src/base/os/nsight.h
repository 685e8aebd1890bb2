// Whether this process runs under one of NVIDIA's own profilers, which do not share a GPU: Nsight
// Compute even refuses to start a program whose environment names another tool's library, and
// Nsight Systems holds CUPTI.
#pragma once

namespace laptime {

// The profiler's name, or null. Told from what each puts into the environment of the programs that
// it starts.
const char* nsight_around();

}  // namespace laptime
