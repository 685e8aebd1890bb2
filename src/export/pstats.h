// cProfile's file format (.prof): what pstats, snakeviz and gprof2dot read. See import/pstats for
// its shape.
//
// Times are nanoseconds times 1e-9, which is how cProfile makes them: a .prof that was imported
// comes out the same.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct PstatsExport {
  std::uint64_t functions = 0;
};

// An error when the run has no function calls.
Result<PstatsExport> export_pstats(const Run& run, Sink& sink);

}  // namespace laptime
