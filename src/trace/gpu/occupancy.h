// The share of a multiprocessor's warps that a kernel's blocks can occupy. It follows from the
// launch config and the device's limits.
//
// The rules are those of NVIDIA's calculator, with all the shared memory that the device has:
// - Registers are allocated in units of 256 a warp, within a quarter of the multiprocessor.
// - Shared memory is allocated in units of 128 bytes, plus 1 KiB for the system in each block.
//   Before compute 8 the unit is 256 bytes, and the system needs none.
//
// This is an estimate: clusters, carve-outs and barriers are ignored.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/run/run.h"

namespace laptime {

struct DeviceLimits {
  std::uint64_t multiprocessors = 0, threads = 0, blocks = 0, registers = 0,
                shared_bytes = 0;   // per multiprocessor, except the first
  std::uint64_t compute_major = 0;  // 0: unknown, treated as 8 or later
};
// Nothing where the process does not know the device.
std::optional<DeviceLimits> device_limits(const Process& process, std::uint32_t device);

// 0 to 1. Returns nothing if a limit is unknown or no block fits.
std::optional<double> occupancy(const LaunchConfig& launch, const DeviceLimits& limits);

}  // namespace laptime
