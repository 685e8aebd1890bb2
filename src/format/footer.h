// The footer of a sealed file: the positions of all blocks, and levels of detail above the blocks.
//
// Level 1 consists of the blocks' own summaries. Each higher level combines up to kLevelFanout
// neighbours of the level below, for one table on one track of one part, until the track has a
// single node. So a timeline that is zoomed out draws nodes and opens no block.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"

namespace laptime {

inline constexpr std::uint32_t kLevelFanout = 16;

struct IndexEntry {
  BlockSummary summary;
  std::uint64_t offset;  // of the block's frame in the file
};

struct LevelNode {
  BlockSummary summary;       // rows, times and longest span of everything below
  std::uint32_t first_child;  // into the level below, or into the index from level 2
  std::uint32_t children;
};
using Level = std::vector<LevelNode>;

// Levels 2 and up. Children of a node at level 2 are adjacent in `order`.
struct DetailTree {
  std::vector<std::uint32_t> order;  // index entries by (part, track, table), then file order
  std::vector<Level> levels;
};
DetailTree build_levels(const std::vector<IndexEntry>& index);

struct Footer {
  std::uint32_t parts = 0;
  std::vector<std::uint64_t> facts;  // offsets of the facts frames
  std::vector<IndexEntry> index;     // in file order
  DetailTree detail;
};

// Writes the levels that build_levels returns for the index. Ignores footer.detail.
Bytes encode_footer(const Footer& footer);
// Empty if malformed: false counts, children out of range, or more entries than the file has room
// for.
std::optional<Footer> decode_footer(ByteView payload, std::uint64_t max_frames);

}  // namespace laptime
