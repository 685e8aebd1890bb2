// How batches come: the workers that make them, and how long a program waits for them if there were more, fewer or none.
//
// A loader hands batches to its workers in turn and keeps a few (two a worker) asked for; a batch is taken in its order, and
// then the next one is asked for. So with enough workers a step waits only for the hand-over; with too few, steps come as fast
// as the workers together make batches. Without workers the program makes the batch itself, and waits all that time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyze/host_time.h"
#include "analyze/steps.h"
#include "model/run.h"

namespace laptime::whatif {

struct LoaderFacts {
  unsigned workers = 0;                // 0: the program makes its batches itself
  std::vector<std::int64_t> fetch_ns;  // what the batches of a step took to make, in their order; never empty where batches are made
  // By step: what it waited beyond the moment at which its batch was made, to get it from a worker's process. Without workers:
  // one figure, what that would take.
  std::vector<std::int64_t> hand_over_ns;
  std::int64_t fetches_ns = 0;         // all fetches of workers together
  std::vector<bool> restarts;          // by step: a loader begins anew with it
};

// `steps`: those of one phase of one thread, in their order.
LoaderFacts find_loader(const Run& run, std::span<const HostStep> steps);

// By step: how long it waits. `compute_ns`: what each does besides. `fetch_ns` and `hand_over_ns` are gone through again from the
// start when there are more steps.
std::vector<std::int64_t> simulate_waits(std::span<const std::int64_t> compute_ns, const std::vector<bool>& restarts, std::span<const std::int64_t> fetch_ns,
                                         unsigned workers, std::span<const std::int64_t> hand_over_ns);

}  // namespace laptime::whatif
