// line_profiler's file format (.lprof): a pickle of protocol 2 with a unit of one nanosecond. Its
// class has the module name of every line_profiler release since 3.0.
//
// A function that was not timed by line is one entry at its first line. If its calls were only
// counted, its time there is 0: the format cannot express unknown times.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct LprofExport {
  std::uint64_t functions = 0, lines = 0;
};

// Fails if the run has no lines.
Result<LprofExport> export_lprof(const Run& run, Sink& sink);

}  // namespace laptime
