// How long a program would wait for its batches with more workers, fewer or none.
//
// A loader assigns batches to its workers in turn, and keeps a few requested (`prefetch` for each
// worker). Batches are taken in order; each time the next one is requested. With enough workers a
// step waits only for the hand-over. With too few, steps come as fast as all workers together make
// batches. Without workers the program makes each batch itself, and waits that long.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace laptime::replay {

// A batch that a step took.
struct Batch {
  std::uint32_t step = 0;  // index among the phase's steps
  // The share of the step's time without waits that comes before the batch is requested.
  double after = 0;
  std::int64_t fetch_ns = 0;  // the time to make it
  // How late its worker began, though the batch was requested and the previous one was made.
  std::int64_t between_ns = 0;
  std::int64_t hand_over_ns = 0;  // the program's wait beyond the moment at which it was made
  std::uint32_t worker = 0;       // in the loop, by the order in which workers were started
  std::int64_t blocked_ns = 0;    // the program's wait for it while a later one was made
};

struct LoaderFacts {
  unsigned workers = 0;   // 0: the program makes its batches itself
  unsigned prefetch = 2;  // batches requested ahead, by worker; torch's default
  // In the order in which they were taken. Without workers hand_over_ns is what a hand-over would
  // take.
  std::vector<Batch> batches;
  std::vector<bool> restarts;  // by step: a loader starts again in it
  // By step: the time since the previous step, if another phase was in between.
  std::vector<std::int64_t> apart_ns;
  std::vector<std::uint32_t> worker_tracks;  // Run::tracks …
  std::int64_t fetches_ns = 0;               // … and their total time in fetches
};

// any: a batch is taken as soon as it is made (`in_order=False`). The next one goes to a worker
// with fewer than `prefetch` batches to make.
enum class BatchOrder : std::uint8_t { given, any };

// By step: its wait. `compute_ns`: the rest of each step.
std::vector<std::int64_t> simulate_waits(const LoaderFacts& facts,
                                         std::span<const std::int64_t> compute_ns, unsigned workers,
                                         BatchOrder order = BatchOrder::given);

}  // namespace laptime::replay
