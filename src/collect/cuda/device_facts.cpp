#include "collect/cuda/device_facts.h"

#include <string>

#include "collect/cuda/device_peaks.h"
#include "format/names.h"
#include "record/collector.h"

namespace laptime::cuda {

namespace {

class DeviceFacts {
 public:
  DeviceFacts(CudaApi& api, int device) : api_(api), device_(device) {}

  void write() {
    if (api_.device_name(device_, name_) != kSuccess) return;
    set(device_property::kName, std::string_view(name_));
    std::uint64_t memory = 0;
    if (api_.device_memory(device_, &memory) == kSuccess)
      set(device_property::kMemoryBytes, memory);
    copy(device_property::kMultiprocessors, kMultiprocessors);
    copy(device_property::kL2Bytes, kL2Bytes);
    copy(device_property::kMaxThreads, kMaxThreadsPerMultiprocessor);
    copy(device_property::kMaxBlocks, kMaxBlocksPerMultiprocessor);
    copy(device_property::kRegisters, kMaxRegistersPerMultiprocessor);
    copy(device_property::kSharedBytes, kMaxSharedPerMultiprocessor);
    write_peaks();
  }

 private:
  // 0: unknown.
  std::uint64_t attribute(DeviceAttribute which) {
    int value = 0;
    return api_.device_attribute(device_, which, &value) == kSuccess && value > 0
               ? static_cast<std::uint64_t>(value)
               : 0;
  }
  void set(std::string_view key, const PropertyValue& value) {
    record::set_device_property({DeviceKind::cuda, static_cast<std::uint32_t>(device_)}, key,
                                value);
  }
  void set(std::string_view key, std::uint64_t value) {
    set(key, PropertyValue(static_cast<std::int64_t>(value)));
  }
  void copy(std::string_view key, DeviceAttribute which) {
    if (const std::uint64_t value = attribute(which)) set(key, value);
  }
  void write_peaks() {
    const std::uint64_t clock = attribute(kClockKHz) * 1000;
    if (clock) set(device_property::kClockHz, clock);
    // Memory moves on both edges of its clock.
    const std::uint64_t bandwidth =
        attribute(kMemoryClockKHz) * 1000 * 2 * attribute(kMemoryBusWidth) / 8;
    if (bandwidth) set(device_property::kPeakBytesPerS, bandwidth);
    const auto major = static_cast<int>(attribute(kComputeMajor)),
               minor = static_cast<int>(attribute(kComputeMinor));
    set(device_property::kComputeMajor, PropertyValue(std::int64_t{major}));
    set(device_property::kComputeMinor, PropertyValue(std::int64_t{minor}));
    for (const Peak& peak : peaks_of({name_, major, minor, attribute(kMultiprocessors), clock}))
      set(peak.key, peak.flops_per_s);
  }

  CudaApi& api_;
  int device_;
  std::string name_;
};

}  // namespace

bool write_device_facts(CudaApi& api) {
  int count = 0;
  if (api.device_count(&count) != kSuccess) return false;
  for (int device = 0; device < count; ++device) DeviceFacts(api, device).write();
  return true;
}

}  // namespace laptime::cuda
