// Folded stacks, one for each line: "outer;inner;innermost NANOSECONDS", with the innermost frame's
// own time. For flamegraph.pl, inferno and speedscope.
//
// They come from the call tree if functions were counted. Else they come from spans, with the
// thread as the outermost frame. Steps are left out: they only mark ends.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct StacksExport {
  std::uint64_t stacks = 0;
};

// Fails if the run has neither spans nor function calls.
Result<StacksExport> export_stacks(const Run& run, Sink& sink);

}  // namespace laptime
