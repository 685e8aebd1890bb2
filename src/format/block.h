// A block: the rows of one table on one track, as compressed columns. Its summary comes first,
// uncompressed. A reader decides from it whether to open the block, and the summaries of a run are
// its first level of detail.
//
// Block frame payload: [summary as varints][columns, zstd]. Columns: [id][length][bytes]…; unknown
// ids are skipped. Span ends are deltas from the row before. Spans are recorded when they end, so
// these deltas are small and rarely negative. Durations are not deltas. (name, kind) is an index
// into a dictionary of the block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "format/columns.h"
#include "format/frame.h"

namespace laptime {

enum class TableType : std::uint8_t { spans = 1, values = 2, tallies = 4 };  // 3 is free

// The maximum size of a block: large enough to compress and decode well, small enough to be a unit
// of parallel work.
inline constexpr std::uint32_t kMaxBlockRows = 65536;

struct BlockSummary {
  TableType table = TableType::spans;
  std::uint32_t part = 0;
  std::uint32_t track = 0;
  std::uint32_t rows = 0;
  std::int64_t first_ns = 0, last_ns = 0;  // earliest start, latest end
  std::uint64_t total_ns = 0;              // sum of durations
  std::uint64_t longest_ns = 0;
  std::uint32_t longest_name = 0;
  std::uint32_t args = 0;  // rows in the args column
  std::uint32_t raw_size = 0;
  bool compressed = false;
  bool has_links = false;
};

struct Block {
  BlockSummary summary;
  ByteView columns;  // as stored
  // its place in the file; its checksum is verified only when the block is decoded or copied
  Frame frame;
};

void append_summary(ByteWriter& out, const BlockSummary& summary);
BlockSummary read_summary(ByteReader& in);

// Append a block frame for rows [begin, end) of the columns; at most kMaxBlockRows of them.
void append_block(Bytes& out, std::uint32_t part, std::uint32_t track, const SpanColumns&,
                  std::size_t begin, std::size_t end);
void append_block(Bytes& out, std::uint32_t part, std::uint32_t track, const ValueColumns&,
                  std::size_t begin, std::size_t end);
void append_block(Bytes& out, std::uint32_t part, std::uint32_t track, const TallyColumns&,
                  std::size_t begin, std::size_t end);

template <typename Columns>
void append_blocks(Bytes& out, std::uint32_t part, std::uint32_t track, const Columns& columns) {
  for (std::size_t i = 0; i < columns.size(); i += kMaxBlockRows)
    append_block(out, part, track, columns, i,
                 std::min<std::size_t>(columns.size(), i + kMaxBlockRows));
}

// Splits a block frame. Empty if the summary is malformed or claims impossible counts.
std::optional<Block> parse_block(const Frame& frame);

// The destination of decoded span rows: arrays with room for summary.rows each. `link` may be null.
struct SpanTarget {
  std::int64_t* start;
  std::int64_t* duration;
  std::uint32_t* name;
  SpanKind* kind;
  std::uint64_t* link;
  ArgColumns* args;  // row numbers start at `first_row`; may be null
  std::uint32_t first_row;
};

// False if the checksum is wrong or the columns do not hold exactly the rows of the summary. Then
// the target's contents are invalid.
bool decode_spans(const Block& block, const SpanTarget& target);
bool decode_block(const Block& block, SpanColumns& append_to);
bool decode_block(const Block& block, ValueColumns& append_to);
bool decode_block(const Block& block, TallyColumns& append_to);

}  // namespace laptime
