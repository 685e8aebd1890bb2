// What the blocks of one process were for, and which op and line allocated them.
//
// A block whose role was told, then or later, is that: parameter, buffer, gradient, optimizer
// state, input. Of the others one that was allocated while the program waited for its input is an
// input; one that a forward op allocated and that is still alive when the next backward pass of its
// step begins is an activation; one that was allocated before the first step began (a dataset in
// memory) is from before steps; the rest is temporary.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/memory/memory_history.h"
#include "trace/ops/attribution.h"
#include "trace/run/intervals.h"

namespace laptime {

enum class MemoryCategory {
  parameter,
  buffer,
  gradient,
  optimizer_state,
  activation,
  input,
  before_steps,
  temporary
};
inline constexpr std::size_t kMemoryCategories = 8;
const char* category_name(MemoryCategory category);

struct PeakBlock {
  MemoryBlock block;
  MemoryCategory category = MemoryCategory::temporary;
  std::uint32_t call_site = 0;  // Run::call sites, 0 unknown
  std::uint32_t op = 0;         // string id: the outermost op in which it was allocated, 0 unknown
};

class MemoryCategories {
 public:
  // What is given must outlive this.
  MemoryCategories(const Run& run, const OpAttribution& ops, std::uint32_t process);

  // Sets category, call site and op.
  void describe(PeakBlock& block) const;
  MemoryCategory category_of(const MemoryBlock& block) const;

 private:
  MemoryCategory category_of(const MemoryBlock& block, OpPass pass) const;
  bool is_activation(const MemoryBlock& block) const;

  const Run& run_;
  const OpAttribution& ops_;
  std::vector<Intervals> loading_;  // by track
  std::int64_t first_step_ns_ = INT64_MAX;
  std::vector<std::int64_t> backward_starts_;  // rising
  std::vector<std::int64_t> step_ends_;        // rising
};

// Where an instant was made: the outermost op around it (string id, 0 none) and its call site.
struct InstantOrigin {
  std::uint32_t op = 0, call_site = 0;
  OpPass pass = OpPass::none;
};
InstantOrigin origin_of(const Run& run, const OpAttribution& ops, std::uint32_t track,
                        std::uint32_t row);

}  // namespace laptime
