// Time that threads spent in the GPU's driver: launching work, in blocking copies, and waiting for
// work to finish.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/gpu/gpu_work.h"
#include "trace/run/run.h"

namespace laptime {

enum class DriverWork : std::uint8_t { launch, copy_wait, sync_wait };

struct DriverCallTime {
  std::int64_t start_ns, end_ns;
  DriverWork work;
  bool backward;  // the call is known to serve backward; unknown for waits
};

// By track of the run. Calls may nest. Empty if no GPU was recorded.
std::vector<std::vector<DriverCallTime>> find_driver_times(const Run& run, const GpuWorkload& gpu);

}  // namespace laptime
