// Turns raw records into columns, sorted by table and track. Used by the recorder's background
// thread and by a reader that finds the slots of a process that died, so that both read the same
// bytes the same way.
//
// Assumption: records of one slot are in the order in which they were recorded. Malformed runs of
// records (a second half without its first, an unknown type, an end before its start, arguments
// that nobody told) are skipped and counted in `malformed`.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "base/bytes.h"
#include "base/clock.h"
#include "format/columns.h"
#include "format/shared_args.h"

namespace laptime {

class RawBatch {
 public:
  // `shared`: what was told of it before the last unit that is added was recorded. It outlives the
  // batch.
  RawBatch(TickScale scale, const SharedArgs& shared) : scale_(scale), shared_(shared) {}

  void add(std::uint32_t slot_track, std::span<const RawRecord> records);

  // Block frames of all that was added, for part `part`; then the batch is empty again.
  void append_blocks_to(Bytes& out, std::uint32_t part);

  std::uint64_t malformed() const { return malformed_; }

 private:
  void add_span(SpanColumns& spans, const RawRecord& record);
  bool add_op(SpanColumns& spans, RawRecord record);
  void add_memory(SpanColumns& spans, RawRecord record);
  void add_launch(SpanColumns& spans, const RawRecord& record);
  bool add_arg(ArgKey key, ArgType type, std::uint64_t value);
  bool add_tally(std::uint32_t slot_track, const RawRecord& first, const RawRecord& second);
  std::uint64_t duration_ns(std::uint64_t ticks) const;

  TickScale scale_;
  const SharedArgs& shared_;
  std::map<std::uint32_t, SpanColumns> spans_;
  std::map<std::uint32_t, ValueColumns> values_;
  std::map<std::uint32_t, TallyColumns> tallies_;
  SpanColumns* last_spans_ = nullptr;  // where the latest span went: its arguments follow it
  std::uint64_t malformed_ = 0;
};

}  // namespace laptime
