// cProfile's file format (.prof), for pstats, snakeviz and gprof2dot. import/pstats describes it.
//
// Times are nanoseconds times 1e-9, as in cProfile, so an imported .prof is exported unchanged.
#pragma once

#include <cstdint>

#include "base/sink.h"
#include "base/status.h"
#include "trace/run/run.h"

namespace laptime {

struct PstatsExport {
  std::uint64_t functions = 0;
};

// Fails if the run has no function calls.
Result<PstatsExport> export_pstats(const Run& run, Sink& sink);

}  // namespace laptime
