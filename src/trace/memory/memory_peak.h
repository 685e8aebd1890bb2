// The moment with the most live memory, and the category of each live block (memory_categories.h).
#pragma once

#include <cstdint>
#include <vector>

#include "trace/memory/memory_categories.h"
#include "trace/memory/memory_history.h"
#include "trace/ops/attribution.h"

namespace laptime {

struct MemoryPeak {
  std::uint32_t process, device;  // Run::processes; string id
  std::int64_t time_ns;
  std::uint64_t bytes;            // the sum over `blocks`
  std::vector<PeakBlock> blocks;  // in order of allocation
};

// One peak for each device and process with allocations. Of equal peaks the first counts.
std::vector<MemoryPeak> find_memory_peaks(const Run& run, const OpAttribution& ops,
                                          const std::vector<MemoryHistory>& histories);

}  // namespace laptime
