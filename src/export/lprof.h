// line_profiler's file format (.lprof), a pickle of protocol 2 with a unit of one nanosecond. It
// names the class where every release of line_profiler since 3.0 has it.
//
// A function that was not timed by line is one entry at its first line; one that was only counted
// has the time 0 there, because the format has no unknown.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct LprofExport {
  std::uint64_t functions = 0, lines = 0;
};

// An error when the run has no lines.
Result<LprofExport> export_lprof(const Run& run, Sink& sink);

}  // namespace laptime
