// How far the batches differ that workers make for the lap, and what steps wait for one while later
// ones are made.
#pragma once

#include <cstdint>

#include "advise/lap.h"
#include "trace/analysis.h"

namespace laptime {

struct BatchCosts {
  Part blocked;                   // of a mean step: waiting for a batch while a later one is made
  std::size_t blocked_steps = 0;  // in which that is a good part of the step
  std::int64_t median_ns = 0, long_ns = 0;  // making a batch: long is the 95th percentile
  double slowest_worker =
      1;  // the mean of the worker whose batches take longest, against that of all; 1: by chance
};

// A longer queue brings nothing then: that worker sets the pace.
inline bool is_one_worker_slower(const BatchCosts& costs) { return costs.slowest_worker >= 1.25; }

// All 0 where the lap's batches are not made by workers.
BatchCosts find_batch_costs(const Analysis& analysis, const Lap& lap);

}  // namespace laptime
