// Distributes the spans of one thread to rows of a viewer, in which they only nest or follow each
// other.
//
// Assumption: spans come in falling order of their ends, outer before inner.
// Consequence: a row stores only the starts of the spans around the present one, and these rise. A
// thread with proper nesting uses one row. A span that would cross another one moves to the first
// row where it does not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace laptime {

class TraceRows {
 public:
  // More rows are not readable in a viewer.
  static constexpr std::size_t kMostRows = 64;

  // The row. Nothing if all rows are taken.
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
