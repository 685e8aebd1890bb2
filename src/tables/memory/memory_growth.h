// Table `memory_growth`: lines that hold more memory after each step: leaks, and lists that are
// never emptied.
//
// A line's memory is measured at the end of each recorded step except the first two, in which
// caches and optimizers settle. A line grows if all of these hold:
// - it rose at least three times, the last time within the last third,
// - it kept at least four fifths of its gain.
//
// bytes_per_step divides the gain by all recorded steps, not only by those with growth.
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
  std::uint32_t call_site, op;  // Run::call_sites, string id of the outermost op; 0 unknown
  std::uint64_t held_bytes;     // at the end of the last step
  std::uint64_t gained_bytes;   // over the measured steps
  std::uint32_t steps_grown, steps_seen;

  double bytes_per_step() const { return static_cast<double>(gained_bytes) / steps_seen; }
};

// By falling growth.
std::vector<MemoryGrowth> find_memory_growth(const Analysis& analysis);

Table memory_growth_table(const Analysis& analysis);
extern const TableDefinition kMemoryGrowthTable;

}  // namespace laptime
