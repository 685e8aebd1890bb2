#include "base/os/nsight.h"

#include <cstdlib>

namespace laptime {

const char* nsight_around() {
  if (std::getenv("NV_COMPUTE_PROFILER_PERFWORKS_DIR")) return "Nsight Compute";
  if (std::getenv("NSYS_PROFILING_SESSION_ID")) return "Nsight Systems";
  return nullptr;
}

}  // namespace laptime
