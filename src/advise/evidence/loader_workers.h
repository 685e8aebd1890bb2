// The processes that make the main phase's batches, and how they keep up with its steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "advise/evidence/main_phase.h"
#include "advise/evidence/settings.h"
#include "trace/analysis.h"

namespace laptime {

// The processes that made batches while the main phase's steps ran.
struct LoaderWorkers {
  std::vector<std::uint32_t> tracks;
  Part batch;  // what a batch takes one worker
  std::size_t batches = 0;
  double total_ns = 0;  // of all batches
  double busy = 0;  // share of the time between its first and last batch in which a worker works;
                    // mean over workers
};

LoaderWorkers find_loader_workers(const Run& run, const MainPhase& main_phase);

// How far the batches differ that workers make for the main phase, and what steps wait for one
// while later ones are made.
struct BatchCosts {
  Part blocked;                   // of a mean step: waiting for a batch while a later one is made
  std::size_t blocked_steps = 0;  // in which that is a good part of the step
  std::int64_t median_ns = 0, long_ns = 0;  // making a batch: long is the 95th percentile
  double slowest_worker =
      1;  // the mean of the worker whose batches take longest, against that of all; 1: by chance
};

// A longer queue brings nothing then: that worker sets the pace.
inline bool is_one_worker_slower(const BatchCosts& costs) { return costs.slowest_worker >= 1.25; }

// All 0 where the main phase's batches are not made by workers.
BatchCosts find_batch_costs(const Analysis& analysis, const MainPhase& main_phase);

// How many workers make batches so fast that no step waits, at most one for each CPU. Nothing where
// no second CPU is known. `batch_ns`: making a batch, by one worker. `rest_ns`: a step but for its
// wait.
std::optional<std::int64_t> workers_needed(const Settings& settings, double batch_ns,
                                           double rest_ns);

}  // namespace laptime
