// The parts of a task graph: what threads did, collectives, and what GPUs did. graph_building.cpp
// puts them together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "replay/graph/task_graph.h"

namespace laptime::replay {

// ---- threads ----

// Where, in the order of ends, the rows begin that end after a moment.
std::size_t first_ending_after(const SpanColumns& spans, const std::vector<std::uint32_t>& order,
                               std::int64_t time);

// Appends the frames and tasks of a thread between two moments, in their order, gaps included.
// `cuts`: moments, rising, at which a task ends in any case. Each task needs the one before it; the
// first needs nothing.
void add_host_tasks(const GraphSource& source, std::uint32_t track, std::int64_t from,
                    std::int64_t to, std::span<const std::int64_t> cuts, TaskGraph& graph);

// ---- collectives ----
//
// Collectives on other threads that the stepping thread waits for (host_time.h).
//
// A collective begins when the stepping thread has done what it did before it was started, and
// takes its own time: what other processes let it wait is part of that. The stepping thread goes on
// at its end. Consequence: it may be made shorter, and the wait for it shrinks.

// The moments `ends` and those at which the stepping thread begins or ends to wait for a
// collective, rising.
std::vector<std::int64_t> with_collective_cuts(std::span<const HostStep> steps,
                                               std::vector<std::int64_t> ends);

// Appends the collectives that the graph's steps wait for, and lets them wait. `main_count`: the
// graph's first tasks, the stepping thread's, in their order.
void add_collective_tasks(const GraphSource& source, std::uint32_t main_count, TaskGraph& graph);

// ---- GPUs ----
//
// What GPUs did in the window of a graph: tasks on streams that need their launch and what ran
// before them on their stream, and tasks of the host that wait for a GPU.
//
// A launch's delay counts only when the stream had run dry; else the gap to the work before it
// does. Work that began later than either explains waited for another stream, if that ended right
// before, else for something unknown: then its delay stays.

// To be called once all host tasks are in the graph.
void add_gpu_tasks(const GraphSource& source, std::int64_t from, std::int64_t to, TaskGraph& graph);

}  // namespace laptime::replay
