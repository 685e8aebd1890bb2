// Every memory block of a run from allocation to release, by device and process.
//
// Records may be missing (full buffers, resting steps, a kill) or inconsistent:
// - An allocation at the address of a live block ends that block first: its release was missed.
// - A release at an address without a live block has no effect.
// - A role for an address without a live block describes a block from before the recording. It
//   counts from then on.
//
// Consequence: live bytes are always the sum of the live blocks, and never negative.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bulk_vector.h"
#include "trace/ops/op_tree.h"
#include "trace/run/run.h"

namespace laptime {

struct MemoryBlock {
  std::uint64_t bytes = 0;
  std::int64_t born_ns = 0;
  std::int64_t died_ns = INT64_MAX;  // INT64_MAX: not released while recording
  std::uint32_t track = 0,
                row = 0;  // of the allocation; for a block from before: of the role's instant
  std::uint32_t released_track = 0,
                released_row = kNoRow;  // kNoRow: it is still alive, or its release was missed
  std::uint32_t role = 0;               // string id of the last recorded role, 0 none
  bool from_before = false;             // its role was recorded, its allocation was not
};

// An allocation or release, in order of time.
struct MemoryChange {
  std::uint32_t block : 31;
  std::uint32_t birth : 1;
};

struct MemoryHistory {
  std::uint32_t process = 0, device = 0;   // Run::processes; string id
  std::int64_t first_ns = 0, last_ns = 0;  // of all memory records of the process
  BulkVector<MemoryBlock> blocks;          // in order of allocation; at least one
  BulkVector<MemoryChange> changes;

  // Calls visit(block, birth, live_bytes) for each change. live_bytes include the change.
  template <typename Visit>
  void for_each_change(Visit visit) const {
    std::uint64_t live_bytes = 0;
    for (const MemoryChange change : changes) {
      const MemoryBlock& block = blocks[change.block];
      live_bytes = change.birth ? live_bytes + block.bytes : live_bytes - block.bytes;
      visit(block, change.birth != 0, live_bytes);
    }
  }
};

// By process, then by each device's first block. Devices without live blocks are left out.
std::vector<MemoryHistory> read_memory_histories(const Run& run);

}  // namespace laptime
