// A device that memory is on or that runs work, and the name that records carry for it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/names.h"

namespace laptime {

enum class DeviceKind : std::uint8_t { cpu = 0, cuda = 1 };  // stable numbers: they are in files

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::uint32_t index = 0;  // of all devices of its kind that the process sees

  auto operator<=>(const Device&) const = default;
};

// "cpu", "cuda:0".
inline std::string device_name(Device device) {
  return device.kind == DeviceKind::cpu
             ? std::string(kCpuName)
             : std::string(kCudaName) + ':' + std::to_string(device.index);
}

// The value that says how much torch's allocator holds of a device's memory.
inline std::string reserved_name(std::string_view device) {
  return std::string(device) + " reserved";
}

}  // namespace laptime
