// View `device` of the breakdown: a mean step by category on each GPU (device_time.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/analysis.h"

namespace laptime {

struct BreakdownRow {
  std::string view, category;
  double ns, wall_ns;  // of a mean step
  std::optional<double> overlapped_ns;
  std::string_view phase;
  std::optional<std::size_t> steps{};
  std::array<std::optional<std::int64_t>, 3> spread{};  // the percentiles of kSpread
};

// For the mean of all steps that count, with or without op records, as in the host's view. Several
// devices have views `device 0`, `device 1` ….
std::vector<BreakdownRow> device_rows(const Analysis& analysis);

}  // namespace laptime
