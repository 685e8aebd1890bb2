// Turns raw records into columns, sorted by table and track. The recorder's background thread uses
// it, and so does a reader that finds slots of a dead process. So both read the same bytes in the
// same way.
//
// Assumption: records of one slot are in recording order. Malformed sequences of records are
// skipped and counted in `malformed`: a second half without its first, an unknown type, an end
// before its start, unknown shared arguments.
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
  // `shared`: contains all arguments that were reported before the last added record was made. It
  // outlives the batch.
  RawBatch(TickScale scale, const SharedArgs& shared) : scale_(scale), shared_(shared) {}

  void add(std::uint32_t slot_track, std::span<const RawRecord> records);

  // Appends block frames of all added records, for part `part`. Then the batch is empty.
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
  SpanColumns* last_spans_ = nullptr;  // the columns of the latest span: its arguments follow it
  std::uint64_t malformed_ = 0;
};

}  // namespace laptime
