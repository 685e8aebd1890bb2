// A set of moments, kept as stretches that neither touch nor overlap, in their order. The end of a
// stretch is outside it.
#pragma once

#include <cstdint>
#include <vector>

namespace laptime {

struct Stretch {
  std::int64_t start, end;
};

class Stretches {
 public:
  Stretches() = default;
  // The union of what is given; in any order, empty ones are left out.
  explicit Stretches(std::vector<Stretch> parts);

  bool empty() const { return parts_.empty(); }
  bool overlaps(std::int64_t start, std::int64_t end) const;
  // How much of a window they cover; looks at all of them.
  std::int64_t within(std::int64_t start, std::int64_t end) const;
  const std::vector<Stretch>& parts() const { return parts_; }

  // Answers for moments that mostly rise.
  class Cursor {
   public:
    explicit Cursor(const Stretches& stretches) : all_(stretches.parts_) {}
    bool contains(std::int64_t time) {
      if (time < from_ || time >= to_) seek(time);
      return inside_;
    }

   private:
    void seek(std::int64_t time);
    const std::vector<Stretch>& all_;
    std::int64_t from_ = 0, to_ = 0;  // where the present answer holds
    bool inside_ = false;
  };

 private:
  std::vector<Stretch> parts_;
};

}  // namespace laptime
