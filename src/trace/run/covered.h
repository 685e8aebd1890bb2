// A set of moments with prefix sums, to measure how much of a window it covers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/run/intervals.h"

namespace laptime {

class Covered {
 public:
  explicit Covered(std::vector<Interval> parts) : intervals_(std::move(parts)) {
    sums_.push_back(0);
    for (const Interval& part : parts_()) sums_.push_back(sums_.back() + part.end - part.start);
  }
  std::int64_t within(std::int64_t start, std::int64_t end) const {
    return end <= start ? 0 : before(end) - before(start);
  }
  bool contains(std::int64_t time) const { return intervals_.overlaps(time, time + 1); }
  // The latest covered moment up to `time`. INT64_MIN: none.
  std::int64_t covered_until(std::int64_t time) const {
    const auto after =
        std::lower_bound(parts_().begin(), parts_().end(), time,
                         [](const Interval& s, std::int64_t t) { return s.start < t; });
    return after == parts_().begin() ? INT64_MIN : std::min(time, (after - 1)->end);
  }
  // Calls visit(start, end) for each part of the window that is not covered.
  template <typename Visit>
  void for_each_gap(std::int64_t start, std::int64_t end, Visit visit) const {
    auto part = std::upper_bound(parts_().begin(), parts_().end(), start,
                                 [](std::int64_t t, const Interval& s) { return t < s.end; });
    for (std::int64_t at = start; at < end; at = part++->end) {
      const std::int64_t next = part == parts_().end() ? end : std::min(part->start, end);
      if (next > at) visit(at, next);
      if (next == end) break;
    }
  }

 private:
  const std::vector<Interval>& parts_() const { return intervals_.parts(); }
  std::int64_t before(std::int64_t time) const {
    const auto after =
        std::upper_bound(parts_().begin(), parts_().end(), time,
                         [](std::int64_t t, const Interval& s) { return t < s.start; });
    if (after == parts_().begin()) return 0;
    const Interval& last = *(after - 1);
    return sums_[static_cast<std::size_t>(after - 1 - parts_().begin())] +
           std::min(time, last.end) - last.start;
  }

  Intervals intervals_;
  std::vector<std::int64_t> sums_;
};

}  // namespace laptime
