// Numbers that a process told of its GPUs (collect/cuda/device_facts.h), and the peaks that work is
// measured against.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/gpu/effort/kernel_math.h"
#include "trace/run/run.h"

namespace laptime {

// 0: not told.
std::uint64_t device_number(const Process& process, std::uint32_t device, std::string_view key);

struct DevicePeaks {
  std::uint64_t bytes_per_s = 0;  // 0: not told
  std::uint64_t fp64 = 0, fp64_tensor = 0, fp32 = 0, tf32 = 0, fp16 = 0,
                fp8 = 0;  // floating point operations a second

  // 0: not told.
  std::uint64_t flops_per_s(Precision precision) const;
};
DevicePeaks device_peaks(const Process& process, std::uint32_t device);

}  // namespace laptime
