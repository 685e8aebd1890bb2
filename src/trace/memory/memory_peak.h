// The moment at which most memory was alive, and what each block of it was for
// (memory_categories.h).
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
  std::uint64_t bytes;            // the sum of the blocks'
  std::vector<PeakBlock> blocks;  // in the order of their births
};

// One for each device of each process on which anything was allocated; of equal heights the first.
std::vector<MemoryPeak> find_memory_peaks(const Run& run, const OpAttribution& ops,
                                          const std::vector<MemoryHistory>& histories);

}  // namespace laptime
