// A set of moments, kept as intervals that neither touch nor overlap, in their order. The end of a
// interval is outside it.
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
  // The union of what is given; in any order, empty ones are left out.
  explicit Intervals(std::vector<Interval> parts);

  bool empty() const { return parts_.empty(); }
  bool overlaps(std::int64_t start, std::int64_t end) const;
  // How much of a window they cover; looks at all of them.
  std::int64_t within(std::int64_t start, std::int64_t end) const;
  const std::vector<Interval>& parts() const { return parts_; }

  // Answers for moments that mostly rise.
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
    std::int64_t from_ = 0, to_ = 0;  // where the present answer holds
    bool inside_ = false;
  };

 private:
  std::vector<Interval> parts_;
};

}  // namespace laptime
