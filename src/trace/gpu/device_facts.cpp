#include "trace/gpu/device_facts.h"

#include <charconv>
#include <string>

namespace laptime {

std::uint64_t device_number(const Properties& properties, std::uint32_t device,
                            std::string_view key) {
  const auto it = properties.find("cuda device " + std::to_string(device) + ' ' + std::string(key));
  std::uint64_t number = 0;
  if (it != properties.end())
    std::from_chars(it->second.data(), it->second.data() + it->second.size(), number);
  return number;
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

DevicePeaks device_peaks(const Properties& properties, std::uint32_t device) {
  const auto number = [&](std::string_view key) { return device_number(properties, device, key); };
  return {number("peak_bytes_per_s"), number("peak_flops_fp64"), number("peak_flops_fp64_tensor"),
          number("peak_flops_fp32"),  number("peak_flops_tf32"), number("peak_flops_fp16"),
          number("peak_flops_fp8")};
}

}  // namespace laptime
