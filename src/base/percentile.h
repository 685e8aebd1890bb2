// Exact percentiles by nearest rank: the smallest value that at least the given share of all values
// does not exceed. So a percentile is always a value that occurred.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

namespace laptime {

// The percentiles that tables show of a distribution.
inline constexpr double kSpread[] = {0.05, 0.50, 0.95};

// The rank's index in sorted order. Contract: count > 0, 0 < share <= 1.
inline std::size_t percentile_index(std::size_t count, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
  return std::clamp<std::size_t>(rank, 1, count) - 1;
}

// Reorders `values`. Linear on average.
template <std::ranges::random_access_range Values>
auto take_percentile(Values&& values, double share) {
  const auto at = std::ranges::begin(values) +
                  static_cast<std::ptrdiff_t>(percentile_index(std::ranges::size(values), share));
  std::nth_element(std::ranges::begin(values), at, std::ranges::end(values));
  return *at;
}

// The mean of the middle four fifths. If values are of two sorts (a wait in every other step), the
// median is one of them and says little about the sum. A mean does not have this problem, and
// outliers are left out, as by a median. Reorders `values`. Contract: `values` is not empty.
inline double take_middle_mean(std::span<std::int64_t> values) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10),
             last = values.end() - (first - values.begin());
  std::nth_element(values.begin(), first, values.end());
  if (last != values.end()) std::nth_element(first, last, values.end());
  double sum = 0;
  for (auto it = first; it != last; ++it) sum += static_cast<double>(*it);
  return sum / static_cast<double>(last - first);
}

}  // namespace laptime
