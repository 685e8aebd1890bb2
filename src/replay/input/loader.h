// How long a program waits for its batches if there were more workers, fewer or none.
//
// A loader hands batches to its workers in turn and keeps a few (`prefetch` a worker) asked for; a
// batch is taken in its order, and then the next one is asked for. So with enough workers a step
// waits only for the hand-over; with too few, steps come as fast as the workers together make
// batches. Without workers the program makes the batch itself, and waits all that time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace laptime::replay {

// A batch that a step took.
struct Batch {
  std::uint32_t step = 0;  // of those of the phase
  double after =
      0;  // of what the step does besides waiting: the share that came before it was asked for
  std::int64_t fetch_ns = 0;    // making it
  std::int64_t between_ns = 0;  // by which its worker began late, though it had been asked for and
                                // the one before it was made
  std::int64_t hand_over_ns = 0;  // what the program waited beyond the moment at which it was made
  std::uint32_t worker = 0;       // of its loop's, by the order in which they were started
  std::int64_t blocked_ns = 0;    // what the program waited for it while a later one was made
};

struct LoaderFacts {
  unsigned workers = 0;        // 0: the program makes its batches itself
  unsigned prefetch = 2;       // batches asked for ahead, by worker; torch's default
  std::vector<Batch> batches;  // in the order in which they were taken. Without workers
                               // hand_over_ns is what that would take
  std::vector<bool> restarts;  // by step: a loader begins anew with it
  std::vector<std::int64_t>
      apart_ns;  // by step: from the end of the one before it, where another phase came in between
  std::vector<std::uint32_t> worker_tracks;  // Run::tracks …
  std::int64_t fetches_ns = 0;               // … and all that they fetched
};

// any: a batch is taken as soon as it is made (`in_order=False`), and the next one given to a
// worker that has fewer than `prefetch` to make.
enum class BatchOrder : std::uint8_t { given, any };

// By step: how long it waits. `compute_ns`: what each does besides.
std::vector<std::int64_t> simulate_waits(const LoaderFacts& facts,
                                         std::span<const std::int64_t> compute_ns, unsigned workers,
                                         BatchOrder order = BatchOrder::given);

}  // namespace laptime::replay
