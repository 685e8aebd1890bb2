// A set of moments: sorted intervals that neither touch nor overlap. An interval excludes its end.
#pragma once

#include <cstdint>
#include <vector>

namespace laptime {

struct Interval {
  std::int64_t start, end;
};

class Intervals {
 public:
  Intervals() = default;
  // The union of `parts`, in any order. Empty ones are ignored.
  explicit Intervals(std::vector<Interval> parts);

  bool empty() const { return parts_.empty(); }
  bool overlaps(std::int64_t start, std::int64_t end) const;
  // The length covered within a window. Visits all intervals.
  std::int64_t within(std::int64_t start, std::int64_t end) const;
  const std::vector<Interval>& parts() const { return parts_; }

  // Fast lookup for moments that mostly rise.
  class Cursor {
   public:
    explicit Cursor(const Intervals& intervals) : all_(intervals.parts_) {}
    bool contains(std::int64_t time) {
      if (time < from_ || time >= to_) seek(time);
      return inside_;
    }

   private:
    void seek(std::int64_t time);
    const std::vector<Interval>& all_;
    std::int64_t from_ = 0, to_ = 0;  // the range in which inside_ is valid
    bool inside_ = false;
  };

 private:
  std::vector<Interval> parts_;
};

}  // namespace laptime
