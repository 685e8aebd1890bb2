// The spans of one track, put into the order of their ends, which the format wants.
//
// Assumption: events come in the order of their starts, outer ones first, as profilers write them.
// Consequence: only the spans that are still open wait here. Where events come in another order, or
// more than kOpen are open, rows leave in a wrong order, and readers sort them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "format/columns.h"
#include "import/xplane/row_queue.h"

namespace laptime {

struct SpanRow {
  static constexpr std::size_t kMaxArgs = 6;
  struct Arg {
    ArgKey key;
    ArgType type;
    std::uint64_t value;
  };

  std::int64_t start = 0, end = 0;
  std::uint32_t name = 0;
  SpanKind kind = SpanKind::scope;
  std::uint8_t arg_count = 0;
  std::uint64_t link = 0;
  std::array<Arg, kMaxArgs> args;

  // Beyond kMaxArgs it is left out.
  void add(ArgKey key, ArgType type, std::uint64_t value) {
    if (arg_count < kMaxArgs) args[arg_count++] = {key, type, value};
  }
};

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
