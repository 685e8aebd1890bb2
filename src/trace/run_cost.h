// What recording cost: how much longer the run took than it would have taken without laptime. The
// same quantity in every mode.
//
// It is the sum of
//   own time      what laptime did while the program waited: its start, its set-up, its end
//   steps         what recorded steps took longer. Where others rested, they are compared with the
//                 resting steps around them, and that is weighed against the prices of their
//                 events, each by how sure it is
//   events        lines, calls, hooks, records: their number times what one cost when it was
//                 measured at the start
//   encoder       half of its thread's time, somewhere between none (a free processor) and all of
//                 it
// Prices hold for a thread that has a processor. A thread that waits for one takes longer, and so
// do the events in it: their prices grow by the main thread's wait. Of several processes at the
// same time the mean counts.
//
// `low` and `high`: where the cost lies with 95 % confidence. Prices of events are known to a
// third, measured in tight loops as they are. Steps that differ among themselves, or neighbours
// that come and go, widen the interval.
#pragma once

#include <optional>

#include "trace/analysis.h"

namespace laptime {

struct RunCost {
  double ns = 0, low_ns = 0, high_ns = 0;
  // Of the time that the run would have taken without; 0.02: it took 2 % longer.
  double share = 0, low = 0, high = 0;
  bool compared = false;  // recorded steps with resting ones; else events are priced only
};

// Nothing where no process counted its records.
std::optional<RunCost> find_run_cost(const Analysis& analysis);

}  // namespace laptime
