// View `device` of the breakdown: where a mean step goes on each GPU (device_time.h says what a
// category is).
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
  std::array<std::optional<std::int64_t>, 3> spread{};  // as kSpread
};

// Of the mean of all steps that count, with op records or without, as the host's view is. With
// several devices the views are `device 0`, `device 1` ….
std::vector<BreakdownRow> device_rows(const Analysis& analysis);

}  // namespace laptime
