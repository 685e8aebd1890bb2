// Spreads the spans of one thread over rows of a viewer in which they only nest or follow each other, as
// timeline viewers need it.
//
// Assumption: spans come in falling order of their ends, the outer before the inner. Consequence: a
// row needs to remember only the starts of the spans that are still open around the present
// one, and these rise. A thread that calls properly uses one row; each span that would cross
// another moves to the first row where it does not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace laptime {

class TraceRows {
 public:
  // Beyond these a viewer shows nothing readable.
  static constexpr std::size_t kMostRows = 64;

  // The row, or nothing when all are taken.
  std::optional<std::size_t> place(std::int64_t start, std::int64_t end) {
    for (std::size_t i = 0; i < open_.size(); ++i)
      if (fits(open_[i], start, end)) return i;
    if (open_.size() == kMostRows) return std::nullopt;
    open_.push_back({start});
    return open_.size() - 1;
  }

 private:
  static bool fits(std::vector<std::int64_t>& starts, std::int64_t start, std::int64_t end) {
    while (!starts.empty() && starts.back() >= end) starts.pop_back();
    if (!starts.empty() && starts.back() > start) return false;
    starts.push_back(start);
    return true;
  }

  std::vector<std::vector<std::int64_t>> open_;
};

}  // namespace laptime
