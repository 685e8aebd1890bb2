#include "collect/cuda/device_facts.h"

#include <string>

#include "collect/cuda/device_peaks.h"
#include "record/collector.h"

namespace laptime::cuda {

namespace {

class DeviceFacts {
 public:
  DeviceFacts(CudaApi& api, int device) : api_(api), device_(device) {}

  void write() {
    if (api_.device_name(device_, name_) != kSuccess) return;
    set("name", name_);
    std::uint64_t memory = 0;
    if (api_.device_memory(device_, &memory) == kSuccess) set("memory_bytes", memory);
    copy("multiprocessors", kMultiprocessors);
    copy("l2_bytes", kL2Bytes);
    copy("max_threads_per_multiprocessor", kMaxThreadsPerMultiprocessor);
    copy("max_blocks_per_multiprocessor", kMaxBlocksPerMultiprocessor);
    copy("registers_per_multiprocessor", kMaxRegistersPerMultiprocessor);
    copy("shared_bytes_per_multiprocessor", kMaxSharedPerMultiprocessor);
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
  void set(const char* key, std::string_view value) {
    record::set_property("cuda device " + std::to_string(device_) + ' ' + key, value);
  }
  void set(const char* key, std::uint64_t value) { set(key, std::to_string(value)); }
  void copy(const char* key, DeviceAttribute which) {
    if (const std::uint64_t value = attribute(which)) set(key, value);
  }
  void write_peaks() {
    const std::uint64_t clock = attribute(kClockKHz) * 1000;
    if (clock) set("clock_hz", clock);
    // Memory transfers data on both edges of its clock.
    const std::uint64_t bandwidth =
        attribute(kMemoryClockKHz) * 1000 * 2 * attribute(kMemoryBusWidth) / 8;
    if (bandwidth) set("peak_bytes_per_s", bandwidth);
    const auto major = static_cast<int>(attribute(kComputeMajor)),
               minor = static_cast<int>(attribute(kComputeMinor));
    set("compute", std::to_string(major) + '.' + std::to_string(minor));
    for (const Peak& peak : peaks_of({name_, major, minor, attribute(kMultiprocessors), clock}))
      set((std::string("peak_flops_") + peak.precision).c_str(), peak.flops_per_s);
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
