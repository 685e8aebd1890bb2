#include "trace/memory/op_memory.h"

namespace laptime {

std::vector<BulkVector<std::int64_t>> op_self_bytes(const OpAttribution& ops,
                                                    const std::vector<MemoryHistory>& memory) {
  std::vector<BulkVector<std::int64_t>> bytes(ops.tracks.size());
  const auto add = [&](std::uint32_t track, std::uint32_t instant, std::int64_t change) {
    const OpTree& tree = ops.tracks[track].tree;
    if (instant >= tree.size() || tree.parent[instant] == kNoRow) return;
    if (bytes[track].empty()) bytes[track].resize(tree.size(), 0);
    bytes[track][tree.parent[instant]] += change;
  };
  for (const MemoryHistory& history : memory)
    for (const MemoryBlock& block : history.blocks) {
      const auto size = static_cast<std::int64_t>(block.bytes);
      if (!block.from_before) add(block.track, block.row, size);
      if (block.released_row != kNoRow) add(block.released_track, block.released_row, -size);
    }
  return bytes;
}

}  // namespace laptime
