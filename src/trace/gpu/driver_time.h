// What threads did in the GPU's driver: gave it work, stood in a copy that waits, waited for it to
// finish.
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
  bool backward;  // known to be made for backward; of waits that is not known
};

// By track of the run; calls may lie within each other. Nothing where no GPU was recorded.
std::vector<std::vector<DriverCallTime>> find_driver_times(const Run& run, const GpuWorkload& gpu);

}  // namespace laptime
