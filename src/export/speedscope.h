// speedscope's JSON (https://www.speedscope.app/file-format-schema.json): a profile of events for
// each thread with spans, and a profile of stacks for the call tree if functions were counted.
//
// Events of a profile must nest. Spans that cross others of their thread are in profiles "NAME
// (overlapping N)". Those beyond TraceRows::kMostRows are left out and counted. Steps are left out:
// they only mark ends.
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

// Fails if the run has neither spans nor function calls.
Result<SpeedscopeExport> export_speedscope(const Run& run, Sink& sink);

}  // namespace laptime
