// Every block of memory that a run tells of, from its birth to its death, on each device of each
// process.
//
// Records may be missing (full buffers, resting steps, a kill) or odd. An allocation where a block
// still lives ends that block first: its release was missed. A release of an address where nothing
// lives changes nothing. A role told for an address where nothing lives is a block from before the
// recording: it counts from then on. So live bytes are always the sum of the blocks that are alive,
// and never negative.
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
  std::int64_t died_ns = INT64_MAX;  // never, as far as was recorded
  std::uint32_t track = 0,
                row = 0;  // of the allocation; of the role's instant for a block from before
  std::uint32_t released_track = 0,
                released_row = kNoRow;  // kNoRow: it lives still, or its release was missed
  std::uint32_t role = 0;               // string id of the last that was told, 0 none
  bool from_before = false;             // was there when its role was told, without an allocation
};

// A block is born or dies, in the order in which that happened.
struct MemoryChange {
  std::uint32_t block : 31;
  std::uint32_t birth : 1;
};

struct MemoryHistory {
  std::uint32_t process = 0, device = 0;   // Run::processes; string id
  std::int64_t first_ns = 0, last_ns = 0;  // of all that the process said about its memory
  BulkVector<MemoryBlock> blocks;          // in the order of their births; at least one
  BulkVector<MemoryChange> changes;

  // Calls visit(block, birth, live_bytes) for each change; live_bytes are those after it.
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

// By process, and of one process in the order of their first blocks. Devices on which nothing was
// alive are left out.
std::vector<MemoryHistory> read_memory_histories(const Run& run);

}  // namespace laptime
