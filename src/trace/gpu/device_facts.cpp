#include "trace/gpu/device_facts.h"

#include "format/names.h"

namespace laptime {

std::uint64_t device_number(const Process& process, std::uint32_t device, std::string_view key) {
  const auto known = process.devices.find({DeviceKind::cuda, device});
  const auto number =
      known == process.devices.end() ? std::nullopt : property_number(known->second, key);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

std::uint64_t DevicePeaks::flops_per_s(Precision precision) const {
  switch (precision) {
    case Precision::fp64:
      return fp64;
    case Precision::fp64_tensor:
      return fp64_tensor;
    case Precision::fp32:
      return fp32;
    case Precision::tf32:
      return tf32;
    case Precision::fp16:
      return fp16;
    case Precision::fp8:
      return fp8;
  }
  return 0;
}

DevicePeaks device_peaks(const Process& process, std::uint32_t device) {
  const auto number = [&](std::string_view key) { return device_number(process, device, key); };
  return {number(device_property::kPeakBytesPerS),       number(device_property::kPeakFlopsFp64),
          number(device_property::kPeakFlopsFp64Tensor), number(device_property::kPeakFlopsFp32),
          number(device_property::kPeakFlopsTf32),       number(device_property::kPeakFlopsFp16),
          number(device_property::kPeakFlopsFp8)};
}

}  // namespace laptime
