#include "collect/cuda/device_facts.h"

#include <cstdio>

#include "record/collector.h"

namespace laptime::cuda {

namespace {

// Operations a multiprocessor finishes per clock, two for each multiply-add; dense, from NVIDIA's architecture white papers.
struct Architecture {
  int major, minor;
  int fp32, tf32, fp16, fp8;  // 0: it has none
};
constexpr Architecture kArchitectures[] = {
    {7, 0, 128, 0, 1024, 0},       {7, 5, 128, 0, 1024, 0},       {8, 0, 128, 1024, 2048, 0},     {8, 6, 256, 256, 1024, 0},
    {8, 9, 256, 512, 1024, 2048},  {9, 0, 256, 2048, 4096, 8192}, {10, 0, 256, 4096, 8192, 16384},
};

const Architecture* find_architecture(int major, int minor) {
  for (const Architecture& a : kArchitectures)
    if (a.major == major && a.minor == minor) return &a;
  return nullptr;
}

class DeviceFacts {
 public:
  DeviceFacts(CudaApi& api, int device) : api_(api), device_(device) {}

  void write() {
    std::string name;
    if (api_.device_name(device_, name) != kSuccess) return;
    set("name", name);
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
    return api_.device_attribute(device_, which, &value) == kSuccess && value > 0 ? static_cast<std::uint64_t>(value) : 0;
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
    // Memory moves on both edges of its clock.
    const std::uint64_t bandwidth = attribute(kMemoryClockKHz) * 1000 * 2 * attribute(kMemoryBusWidth) / 8;
    if (bandwidth) set("peak_bytes_per_s", bandwidth);
    const auto major = static_cast<int>(attribute(kComputeMajor)), minor = static_cast<int>(attribute(kComputeMinor));
    set("compute", std::to_string(major) + '.' + std::to_string(minor));
    const Architecture* const a = find_architecture(major, minor);
    if (!a) return;
    const std::uint64_t cycles = clock * attribute(kMultiprocessors);
    const auto peak = [&](const char* key, int per_cycle) {
      if (const std::uint64_t flops = cycles * static_cast<std::uint64_t>(per_cycle)) set(key, flops);
    };
    peak("peak_flops_fp32", a->fp32);
    peak("peak_flops_tf32", a->tf32);
    peak("peak_flops_fp16", a->fp16);
    peak("peak_flops_fp8", a->fp8);
  }

  CudaApi& api_;
  int device_;
};

}  // namespace

bool write_device_facts(CudaApi& api) {
  int count = 0;
  if (api.device_count(&count) != kSuccess) return false;
  for (int device = 0; device < count; ++device) DeviceFacts(api, device).write();
  return true;
}

}  // namespace laptime::cuda
