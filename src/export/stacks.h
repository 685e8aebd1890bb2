// Folded stacks, one a line: "outer;inner;innermost NANOSECONDS" of time in the innermost itself.
// What flamegraph.pl, inferno and speedscope read.
//
// From the call tree where functions were counted; else from spans, with the thread as the
// outermost frame. Steps are left out: they mark where steps end.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct StacksExport {
  std::uint64_t stacks = 0;
};

// An error when the run has neither spans nor function calls.
Result<StacksExport> export_stacks(const Run& run, Sink& sink);

}  // namespace laptime
