// speedscope's own JSON (https://www.speedscope.app/file-format-schema.json): a profile of events
// for each thread with spans, and one of stacks for the call tree where functions were counted.
//
// Events of a profile must nest: spans that cross others of their thread are on profiles "NAME
// (overlapping N)", and those past TraceRows::kMostRows are left out and counted. Steps are left
// out: they mark where steps end.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct SpeedscopeExport {
  std::uint64_t profiles = 0, spans = 0;
  std::uint64_t left_out = 0;
};

// An error when the run has neither spans nor function calls.
Result<SpeedscopeExport> export_speedscope(const Run& run, Sink& sink);

}  // namespace laptime
