// The processes that make the main phase's batches, and whether they are fast enough.
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
  Part batch;  // one worker's time for a batch
  std::size_t batches = 0;
  double total_ns = 0;  // of all batches
  // The share of the time between a worker's first and last batch in which it works. The mean over
  // workers.
  double busy = 0;
};

LoaderWorkers find_loader_workers(const Run& run, const MainPhase& main_phase);

// How much the time to make batches differs, and how long steps wait for a batch while later ones
// are ready.
struct BatchCosts {
  Part blocked;                   // of a mean step: waiting for a batch while a later one is made
  std::size_t blocked_steps = 0;  // steps in which that is a good part of the step
  std::int64_t median_ns = 0, long_ns = 0;  // making a batch: long is the 95th percentile
  // The mean batch time of the slowest worker, divided by the mean of all. 1: the difference may be
  // by chance.
  double slowest_worker = 1;
};

// True if that worker limits the rate, so that a longer queue does not help.
inline bool is_one_worker_slower(const BatchCosts& costs) { return costs.slowest_worker >= 1.25; }

// All 0 if the main phase's batches are not made by workers.
BatchCosts find_batch_costs(const Analysis& analysis, const MainPhase& main_phase);

// The number of workers with which no step waits, at most one for each CPU. Nothing unless a second
// CPU is known. `batch_ns`: one worker's time for a batch. `rest_ns`: a step without its wait.
std::optional<std::int64_t> workers_needed(const Settings& settings, double batch_ns,
                                           double rest_ns);

}  // namespace laptime
