// The peak rates of a device by precision, from its architecture, its multiprocessors and its
// highest clock.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace laptime::cuda {

struct DeviceKind {
  std::string_view name;  // as the driver reports it
  int major, minor;       // compute capability
  std::uint64_t multiprocessors, clock_hz;
};

struct Peak {
  // "fp64", "fp32"; dense on tensor cores with fp32 sums: "fp64_tensor", "tf32", "fp16", "fp8"
  const char* precision;
  std::uint64_t flops_per_s;
};

// The precisions that the device supports. Empty for an unknown architecture.
std::vector<Peak> peaks_of(const DeviceKind& device);

}  // namespace laptime::cuda
