// What of recorded times is the recorder's: with a GPU, so much that a replay without it is another
// one.
//
// Measured on one machine (docs/overhead.md: an H200, 2.0 ms a step): the driver's callbacks and
// records of a launch, of a wait, torch's and laptime's part of an op, a line of Python. Elsewhere
// it is more or less; of no task more than half is taken off. Without a GPU recording costs a few
// percent, spread over everything: nothing is taken off. Where steps rested, they show what is left
// of the host's time beside them (TaskGraph::host_left).
#pragma once

#include "replay/graph/replay.h"
#include "replay/graph/task_graph.h"

namespace laptime::replay {

// What tasks would have taken with nothing recording.
Prices bare_times(const GraphSource& source, const TaskGraph& graph);

// A host that takes `factor` times as long for all it does itself.
void scale_host(const TaskGraph& graph, double factor, std::vector<std::int64_t>& own);

// Nanoseconds each time that a line of Python runs.
double line_share(const GraphSource& source);

}  // namespace laptime::replay
