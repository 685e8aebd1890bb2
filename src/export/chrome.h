// The Chrome trace event format (JSON), for Perfetto and chrome://tracing.
//
// Spans are complete events. Times are microseconds with three decimals, so no nanosecond is lost.
// Values are counters, links are flows. Steps have their own track beside their thread.
//
// These viewers expect the events of a thread to nest. Spans that cross others go to extra tracks
// "NAME (overlapping N)". Beyond TraceRows::kMostRows they become events without duration, and are
// counted.
//
// Memory is bounded by the longest track: text goes to the sink as it is made.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct ChromeExport {
  std::uint64_t spans = 0, values = 0, flows = 0;
  std::uint64_t moved = 0;              // to extra tracks
  std::uint64_t flattened = 0;          // lost their duration
  std::uint64_t not_finite_values = 0;  // left out: JSON has no such numbers
};

Result<ChromeExport> export_chrome(const Run& run, Sink& sink);

}  // namespace laptime
