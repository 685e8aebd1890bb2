// Collectives on other threads that the stepping thread waits for (host_time.h).
//
// A collective begins when the stepping thread has done what it did before it was started, and
// takes its own time: what other processes let it wait is part of that. The stepping thread goes on
// at its end. Consequence: it may be made shorter, and the wait for it shrinks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "replay/task_graph.h"

namespace laptime::replay {

// The moments `ends` and those at which the stepping thread begins or ends to wait for a
// collective, rising.
std::vector<std::int64_t> with_collective_cuts(std::span<const HostStep> steps,
                                               std::vector<std::int64_t> ends);

// Appends the collectives that the graph's steps wait for, and lets them wait. `main_count`: the
// graph's first tasks, the stepping thread's, in their order.
void add_collective_tasks(const GraphSource& source, std::uint32_t main_count, TaskGraph& graph);

}  // namespace laptime::replay
