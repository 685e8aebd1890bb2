// Table `memory_growth`: lines that hold more memory after step upon step: leaks, and lists that
// nobody empties.
//
// What a line holds is looked at when each recorded step ends, over all steps but the first two, in
// which caches and optimizers settle. A line grows when it rose at least three times, the last time
// within the last third, and has kept at least four fifths of all that it gained. bytes_per_step is
// what it gained by recorded step, not by step that grew.
#pragma once

#include <cstdint>
#include <vector>

#include "tables/run/columns.h"
#include "trace/analysis.h"
#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

struct MemoryGrowth {
  std::uint32_t process, device;
  std::uint32_t call_site, op;  // Run::call sites, string id of the outermost op; 0 unknown
  std::uint64_t held_bytes;     // when the last step ended
  std::uint64_t gained_bytes;   // over the steps that were looked at
  std::uint32_t steps_grown, steps_seen;

  double bytes_per_step() const { return static_cast<double>(gained_bytes) / steps_seen; }
};

// Those that grow fastest first.
std::vector<MemoryGrowth> find_memory_growth(const Analysis& analysis);

Table memory_growth_table(const Analysis& analysis);
extern const TableDefinition kMemoryGrowthTable;

}  // namespace laptime
