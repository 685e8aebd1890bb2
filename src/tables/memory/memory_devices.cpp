#include "tables/memory/memory_devices.h"

#include "format/names.h"
#include "tables/memory/memory_labels.h"
#include "trace/analysis.h"
#include "trace/gpu/device_facts.h"
#include "trace/memory/memory_peak.h"
#include "trace/memory/reserved_memory.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// Unknown for devices that are no GPU or that nobody described.
std::optional<std::uint64_t> device_bytes(const Run& run, const MemoryPeak& peak) {
  const auto device = run.device(peak.device);
  if (!device || device->kind != DeviceKind::cuda) return std::nullopt;
  const std::uint64_t bytes =
      device_number(run.processes[peak.process], device->index, device_property::kMemoryBytes);
  return known_if(bytes != 0, bytes);
}
struct DeviceMemoryRow {
  const Run& run;
  const MemoryPeak& peak;
  std::optional<std::uint64_t> held, most_held;  // by the allocator: at the peak, at most

  // The allocator reports what it holds only when that changes: a block may be recorded a moment
  // before it.
  std::optional<std::uint64_t> unused() const {
    if (!held) return std::nullopt;
    return *held > peak.bytes ? *held - peak.bytes : 0;
  }
};

constexpr ColumnOf<DeviceMemoryRow> kDeviceMemoryColumns[] = {
    {"device", "The CPU or the GPU.",
     [](auto& r) { return device_label(r.run, r.peak.process, r.peak.device); }},
    {"peak_bytes", Unit::bytes, "The most that was alive.", [](auto& r) { return r.peak.bytes; }},
    {"peak_ns", Unit::ns, "When that was.", [](auto& r) { return r.peak.time_ns; }},
    {"reserved_bytes", Unit::bytes, "What torch's caching allocator held of it then.",
     [](auto& r) { return r.held; }},
    {"unused_bytes", Unit::bytes, "How much of that no recorded block used.",
     [](auto& r) { return r.unused(); }},
    {"unused_share", Unit::share, "The same, of `reserved_bytes`.",
     [](auto& r) { return r.held ? ratio(*r.unused(), *r.held) : std::nullopt; }},
    {"most_reserved_bytes", Unit::bytes, "The most that the allocator held at any time.",
     [](auto& r) { return r.most_held; }},
    {"device_bytes", Unit::bytes, "All that the device has.",
     [](auto& r) { return device_bytes(r.run, r.peak); }}};
constexpr TableOf<DeviceMemoryRow> kMemoryDevices{"memory_devices", kDeviceMemoryColumns};

}  // namespace

Table memory_devices_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = kMemoryDevices.empty("Memory by device" + from_recorded_steps(analysis.steps()));
  for (const MemoryPeak& peak : analysis.memory_peaks()) {
    const ReservedMemory reserved(run, peak.process, peak.device);
    kMemoryDevices.add(table, {run, peak, reserved.at(peak.time_ns), reserved.most(0, INT64_MAX)});
  }
  return table;
}

constinit const TableDefinition kMemoryDevicesTable =
    define_table<kMemoryDevices>("each device's peak, and what its allocator held and did not use",
                                 R"(
There is one row a device and process. Unused memory is fragmentation, rounding, and what the
allocator keeps for later.)",
                                 memory_devices_table);

}  // namespace laptime
