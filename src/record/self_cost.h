// Measures the cost of storing one record. Reports multiply it by the number of records to estimate
// laptime's own cost.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace laptime::record {

// Picoseconds for two clock reads and a store, the cost of a scope. Takes about 50 µs.
std::uint64_t measure_record_cost_ps(TickScale scale);

}  // namespace laptime::record
