#include "analyze/device_facts.h"

#include <charconv>
#include <string>

namespace laptime {

std::uint64_t device_number(const Properties& properties, std::uint32_t device, std::string_view key) {
  const auto it = properties.find("cuda device " + std::to_string(device) + ' ' + std::string(key));
  std::uint64_t number = 0;
  if (it != properties.end()) std::from_chars(it->second.data(), it->second.data() + it->second.size(), number);
  return number;
}

std::uint64_t DevicePeaks::flops_per_s(Precision precision) const {
  switch (precision) {
    case Precision::fp32: return fp32;
    case Precision::tf32: return tf32;
    case Precision::fp16: return fp16;
    case Precision::fp8: return fp8;
  }
  return 0;
}

DevicePeaks device_peaks(const Properties& properties, std::uint32_t device) {
  return {device_number(properties, device, "peak_bytes_per_s"), device_number(properties, device, "peak_flops_fp32"),
          device_number(properties, device, "peak_flops_tf32"), device_number(properties, device, "peak_flops_fp16"),
          device_number(properties, device, "peak_flops_fp8")};
}

}  // namespace laptime
