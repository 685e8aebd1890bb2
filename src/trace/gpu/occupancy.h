// How full a kernel's blocks can make a multiprocessor, from its launch configuration and the
// device's limits.
//
// As NVIDIA's calculator has it, with all the shared memory that the device can give: registers are
// given out in units of 256 a warp, within a quarter of the multiprocessor; shared memory in units
// of 128 bytes with 1 KiB of the system's a block (before compute 8: of 256, and nothing of the
// system's). An estimate: clusters, carve-outs and barriers are not looked at.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/run/run.h"

namespace laptime {

struct DeviceLimits {
  std::uint64_t multiprocessors = 0, threads = 0, blocks = 0, registers = 0,
                shared_bytes = 0;   // per multiprocessor but the first
  std::uint64_t compute_major = 0;  // 0: not told, taken as 8 or later
};
// Nothing where the process does not know the device.
std::optional<DeviceLimits> device_limits(const Process& process, std::uint32_t device);

// 0 to 1; nothing when a limit is unknown or no block fits.
std::optional<double> occupancy(const LaunchConfig& launch, const DeviceLimits& limits);

}  // namespace laptime
