// The peak rates of a device by precision, from its architecture, its multiprocessors and its
// highest clock.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace laptime::cuda {

struct DeviceModel {
  std::string_view name;  // as the driver has it
  int major, minor;       // compute capability
  std::uint64_t multiprocessors, clock_hz;
};

struct Peak {
  std::string_view key;  // of the device's property, by precision. Those on tensor cores
                         // (fp64_tensor, tf32, fp16, fp8): dense, summed up in fp32
  std::uint64_t flops_per_s;
};

// Those that it has; none of an architecture that is not known.
std::vector<Peak> peaks_of(const DeviceModel& device);

}  // namespace laptime::cuda
