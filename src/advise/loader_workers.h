// The processes that make the lap's batches: loader workers, told from the batches that they made
// while its steps ran.
#pragma once

#include <cstdint>
#include <vector>

#include "advise/lap.h"

namespace laptime {

struct LoaderWorkers {
  std::vector<std::uint32_t> tracks;
  Part batch;  // what a batch takes one worker
  std::size_t batches = 0;
  double total_ns = 0;  // of all batches
  double busy = 0;  // share of the time between its first and last batch in which a worker works;
                    // mean over workers
};

LoaderWorkers find_loader_workers(const Run& run, const Lap& lap);

}  // namespace laptime
