// Table `memory_curve`: live bytes over time, by device, in at most kCurvePoints points each; what
// a caching allocator held at these moments, and what the bytes were for (memory_peak.h), which sum
// to them.
//
// The time from the first event to the last is cut into equal intervals; of each the lowest and the
// highest value are kept, at their own times. Consequence: the curve's maximum is the peak, however
// long the run.
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
  std::vector<CurvePoint> points;  // times rise
};

std::vector<MemoryCurve> memory_curves(const Analysis& analysis);

Table memory_curve_table(const Analysis& analysis);
extern const TableDefinition kMemoryCurveTable;

}  // namespace laptime
