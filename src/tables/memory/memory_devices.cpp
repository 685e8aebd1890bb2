#include "tables/memory/memory_devices.h"

#include <charconv>

#include "tables/memory/memory_labels.h"
#include "trace/analysis.h"
#include "trace/gpu/device_facts.h"
#include "trace/memory/memory_peak.h"
#include "trace/memory/reserved_memory.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

constexpr std::string_view kCuda = "cuda:";

// Unknown for devices that are no GPU or that nobody described.
Cell device_bytes(const Run& run, const MemoryPeak& peak) {
  std::string_view name = run.strings[peak.device];
  if (!name.starts_with(kCuda)) return kUnknown;
  name.remove_prefix(kCuda.size());
  std::uint32_t device = 0;
  if (std::from_chars(name.data(), name.data() + name.size(), device).ec != std::errc())
    return kUnknown;
  const std::uint64_t bytes =
      device_number(run.processes[peak.process].properties, device, "memory_bytes");
  return bytes == 0 ? kUnknown : integer_cell(bytes);
}

Row make_row(const Run& run, const MemoryPeak& peak) {
  const ReservedMemory reserved(run, peak.process, peak.device);
  const auto then = reserved.at(peak.time_ns), most = reserved.most(0, INT64_MAX);
  // What the allocator holds is told only when it changes: a block may be recorded a moment before
  // it.
  const std::uint64_t unused = then && *then > peak.bytes ? *then - peak.bytes : 0;
  return {device_label(run, peak.process, peak.device),
          integer_cell(peak.bytes),
          peak.time_ns,
          then ? integer_cell(*then) : kUnknown,
          then ? integer_cell(unused) : kUnknown,
          then ? ratio_cell(static_cast<double>(unused), static_cast<double>(*then)) : kUnknown,
          most ? integer_cell(*most) : kUnknown,
          device_bytes(run, peak)};
}

}  // namespace

Table memory_devices_table(const Analysis& analysis) {
  Table table{"memory_devices",
              "Memory by device" + from_recorded_steps(analysis.steps()),
              {{"device", ColumnType::text},
               {"peak_bytes", ColumnType::integer, Unit::bytes},
               {"peak_ns", ColumnType::integer, Unit::ns},
               {"reserved_bytes", ColumnType::integer, Unit::bytes},
               {"unused_bytes", ColumnType::integer, Unit::bytes},
               {"unused_share", ColumnType::real, Unit::share},
               {"most_reserved_bytes", ColumnType::integer, Unit::bytes},
               {"device_bytes", ColumnType::integer, Unit::bytes}},
              {}};
  for (const MemoryPeak& peak : analysis.memory_peaks())
    table.rows.push_back(make_row(analysis.run(), peak));
  return table;
}

}  // namespace laptime
