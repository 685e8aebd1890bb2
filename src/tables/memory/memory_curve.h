// Table `memory_curve`: live bytes over time for each device, in at most kCurvePoints points. Each
// point has the bytes by category (memory_peak.h), which sum to the live bytes.
//
// The time from the first event to the last is divided into equal intervals. Each keeps its lowest
// and highest value at their own times. Consequence: the maximum of the curve is the peak, however
// long the run is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tables/run/columns.h"
#include "trace/analysis.h"
#include "trace/memory/memory_peak.h"

namespace laptime {

inline constexpr std::size_t kCurvePoints = 1000;

struct CurvePoint {
  std::int64_t time_ns;
  std::uint64_t bytes;
  std::array<std::uint64_t, kMemoryCategories> by_category;
};

struct MemoryCurve {
  std::uint32_t process, device;
  std::vector<CurvePoint> points;  // by rising time
};

std::vector<MemoryCurve> memory_curves(const Analysis& analysis);

Table memory_curve_table(const Analysis& analysis);
extern const TableDefinition kMemoryCurveTable;

}  // namespace laptime
