// The moment at which most memory was alive, and what each block of it was for.
//
// A block whose role was told, then or later, is that: parameter, buffer, gradient, optimizer state, input. Of the others one
// that was allocated while the program waited for its input is an input; one that a forward op allocated and that is
// still alive when the next backward pass of its step begins is an activation; one that was allocated before the first step began
// (a dataset in memory) is from before steps; the rest is temporary.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/analysis.h"
#include "analyze/memory_history.h"

namespace laptime {

enum class MemoryCategory { parameter, buffer, gradient, optimizer_state, activation, input, before_steps, temporary };
inline constexpr std::size_t kMemoryCategories = 8;
const char* category_name(MemoryCategory category);

struct PeakBlock {
  MemoryBlock block;
  MemoryCategory category = MemoryCategory::temporary;
  std::uint32_t place = 0;  // Run::places, 0 unknown
  std::uint32_t op = 0;     // string id: the outermost op in which it was allocated, 0 unknown
};

struct MemoryPeak {
  std::uint32_t process, device;  // Run::processes; string id
  std::int64_t time_ns;
  std::uint64_t bytes;  // the sum of the blocks'
  std::vector<PeakBlock> blocks;  // in the order of their births
};

// One for each device of each process on which anything was allocated; of equal heights the first.
std::vector<MemoryPeak> find_memory_peaks(const Analysis& analysis);

}  // namespace laptime
