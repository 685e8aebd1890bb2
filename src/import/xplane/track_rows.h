// The spans of one track, put into the order of their ends, which the format wants.
//
// Assumption: events come in the order of their starts, outer ones first, as profilers write them.
// Consequence: only the spans that are still open wait here. Where events come in another order, or
// more than kOpen are open, rows leave in a wrong order, and readers sort them.
#pragma once

#include <cstdint>
#include <vector>

#include "format/columns.h"
#include "import/xplane/row_queue.h"
#include "xplane/span_row.h"

namespace laptime {

class TrackRows {
 public:
  TrackRows(RowQueue& queue, std::uint32_t track) : queue_(queue), track_(track) {}

  void add(const SpanRow& row);
  // Contract: no row is added after it.
  void finish();
  std::uint32_t track() const { return track_; }

 private:
  static constexpr std::size_t kOpen = 256;

  void close_last();
  void flush();

  RowQueue& queue_;
  const std::uint32_t track_;
  std::vector<SpanRow> open_;  // the last one ends first
  SpanColumns rows_;
};

}  // namespace laptime
