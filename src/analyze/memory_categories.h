// What the blocks of one process were for, and which op and line allocated them (memory_peak.h has the rules).
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/attribution.h"
#include "analyze/memory_peak.h"
#include "analyze/stretches.h"

namespace laptime {

class MemoryCategories {
 public:
  // What is given must outlive this.
  MemoryCategories(const Run& run, const OpAttribution& ops, std::uint32_t process);

  // Sets category, place and op.
  void describe(PeakBlock& block) const;
  MemoryCategory category_of(const MemoryBlock& block) const;

 private:
  MemoryCategory category_of(const MemoryBlock& block, OpPass pass) const;
  bool is_activation(const MemoryBlock& block) const;

  const Run& run_;
  const OpAttribution& ops_;
  std::vector<Stretches> loading_;  // by track
  std::int64_t first_step_ns_ = INT64_MAX;
  std::vector<std::int64_t> backward_starts_;  // rising
  std::vector<std::int64_t> step_ends_;        // rising
};

// Where a mark was made: the outermost op around it (string id, 0 none) and its place.
struct MarkOrigin {
  std::uint32_t op = 0, place = 0;
  OpPass pass = OpPass::none;
};
MarkOrigin origin_of(const Run& run, const OpAttribution& ops, std::uint32_t track, std::uint32_t row);

}  // namespace laptime
