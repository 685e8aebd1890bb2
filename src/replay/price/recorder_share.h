// The recorder's share of recorded times. With a GPU it is so large that a replay without it
// differs.
//
// The shares were measured on one machine (docs/overhead.md: an H200, 2.0 ms for each step): the
// driver's callbacks and records for a launch and for a wait, torch's and laptime's part of an op,
// and a line of Python. Other machines differ, so at most half of a task is removed.
// If steps rested, they show how much of the host's time remains (TaskGraph::host_left). Without a
// GPU recording costs a few percent everywhere, and nothing is removed.
#pragma once

#include "replay/graph/replay.h"
#include "replay/graph/task_graph.h"

namespace laptime::replay {

// The times of tasks without recording.
Prices bare_times(const GraphSource& source, const TaskGraph& graph);

// Multiplies the host's own times by `factor`.
void scale_host(const TaskGraph& graph, double factor, std::vector<std::int64_t>& own);

// Nanoseconds for each execution of a line of Python.
double line_share(const GraphSource& source);

}  // namespace laptime::replay
