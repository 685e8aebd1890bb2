// The cost of recording: how much longer the run took than it would have without laptime. All modes
// report the same quantity.
//
// It is the sum of
//   own time  laptime's work while the program waited: at its start, set-up and end
//   steps     the extra time of recorded steps. If other steps rested, recorded steps are compared
//             with the resting ones around them. The result is averaged with the price of their
//             events, each weighted by its certainty
//   events    lines, calls, hooks and records: their number times the price of one, which is
//             measured at the start
//   encoder   half of its thread's time. The truth is between none (a free processor) and all
//
// Prices hold for a thread that has a processor. A thread that waits for one is slower, and so are
// its events: prices grow by the main thread's wait. For processes that run at the same time the
// mean counts.
//
// `low` and `high` are the 95 % confidence interval. Prices are known to a third, because they are
// measured in tight loops. Steps that differ, or other programs on the machine, widen the interval.
#pragma once

#include <optional>

#include "trace/analysis.h"

namespace laptime {

struct RunCost {
  double ns = 0, low_ns = 0, high_ns = 0;
  // As a share of the time without laptime. 0.02: the run took 2 % longer.
  double share = 0, low = 0, high = 0;
  bool compared = false;  // recorded and resting steps were compared; else events are only priced
};

// Nothing if no process counted its records.
std::optional<RunCost> find_run_cost(const Analysis& analysis);

}  // namespace laptime
