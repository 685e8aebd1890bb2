// Writes a sealed .lap file: header, facts and blocks in any order, footer, trailer.
//
//   header:  "LAPTIME\0", version (u32), reserved (u32)
//   trailer: offset of the footer frame (u64), "LAPEND\0\0"
//
// Memory is bounded by the index: blocks and facts go to the sink as they come.
#pragma once

#include <vector>

#include "base/sink.h"
#include "format/block.h"
#include "format/facts.h"
#include "format/footer.h"
#include "format/frame.h"

namespace laptime {

class LapWriter {
 public:
  static Result<LapWriter> create(Sink& sink);

  // Parts are numbered from 0 in the order of these calls.
  std::uint32_t add_part() { return footer_.parts++; }

  Status add_facts(std::uint32_t part, const std::vector<Fact>& facts);
  template <typename Columns>
  Status add_rows(std::uint32_t part, std::uint32_t track, const Columns& columns) {
    Bytes frames;
    append_blocks(frames, part, track, columns);
    return add_frames(frames);
  }
  // Copies a block of another file, with its columns still compressed, into part `part`.
  Status add_block(std::uint32_t part, const Block& block);

  Status finish();

 private:
  explicit LapWriter(Sink& sink) : sink_(&sink) {}
  Status add_frames(ByteView frames);
  Status write(ByteView bytes);

  Sink* sink_;
  std::uint64_t offset_ = 0;
  Footer footer_;
};

// Appends facts frames, split well below the frame limit, so that a program with a million long
// names makes readable files.
void append_fact_frames(Bytes& out, std::uint32_t part, const std::vector<Fact>& facts,
                        Codec codec);

}  // namespace laptime
