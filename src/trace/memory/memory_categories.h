// The category of each memory block of a process, and the op and line that allocated it.
//
// The first rule that fits decides:
// - A block with a recorded role has that role, even if it was recorded later: parameter, buffer,
//   gradient, optimizer state, input.
// - Allocated while the program waited for input: input.
// - Allocated by a forward op and alive when the step's next backward pass begins: activation.
// - Allocated before the first step began, such as a dataset in memory: from before steps.
// - All others: temporary.
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
  std::uint32_t call_site = 0;  // Run::call_sites, 0 unknown
  std::uint32_t op = 0;         // string id: the outermost op at the allocation, 0 unknown
};

class MemoryCategories {
 public:
  // Contract: the arguments outlive this object.
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

// The call site of an instant and the outermost op around it (string id, 0 none).
struct InstantOrigin {
  std::uint32_t op = 0, call_site = 0;
  OpPass pass = OpPass::none;
};
InstantOrigin origin_of(const Run& run, const OpAttribution& ops, std::uint32_t track,
                        std::uint32_t row);

}  // namespace laptime
