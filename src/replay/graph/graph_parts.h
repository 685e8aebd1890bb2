// The parts of a task graph: threads, collectives and GPUs. graph_building.cpp joins them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "replay/graph/task_graph.h"

namespace laptime::replay {

// ---- threads ----

// The index in `order` of the first row that ends after a moment. `order`: by ends.
std::size_t first_ending_after(const SpanColumns& spans, const std::vector<std::uint32_t>& order,
                               std::int64_t time);

// Appends the frames and tasks of a thread between two moments in order, gaps included. `cuts`:
// rising moments at which a task ends in any case. Each task needs the one before it. The first
// needs nothing.
void add_host_tasks(const GraphSource& source, std::uint32_t track, std::int64_t from,
                    std::int64_t to, std::span<const std::int64_t> cuts, TaskGraph& graph);

// ---- collectives ----
//
// Collectives on other threads that the stepping thread waits for (host_time.h).
//
// A collective begins when the stepping thread has done its tasks before the collective's start. It
// then takes its own time, waits for other processes included. The stepping thread continues at its
// end.
// Consequence: if a change shortens the collective, the wait for it also shrinks.

// Rising moments: `ends`, and the begins and ends of the stepping thread's waits for collectives.
std::vector<std::int64_t> with_collective_cuts(std::span<const HostStep> steps,
                                               std::vector<std::int64_t> ends);

// Appends the collectives that the graph's steps wait for, and adds the waits. `main_count`: the
// graph's first tasks, which are the stepping thread's in order.
void add_collective_tasks(const GraphSource& source, std::uint32_t main_count, TaskGraph& graph);

// ---- compiled functions ----
//
// While the stepping thread is in a dispatch or waits for a result, it waits for the ops of other
// threads (host_time.h). Its time there is divided where these begin and end. Each part waits for
// the op that ends with it. An op on another thread begins when the part before it has ended.
// Consequence: if a change shortens an op, the call also shrinks, unless another op takes longer.

// Rising moments: `cuts`, and the begins and ends of spans of `others` within calls of the stepping
// thread `track`.
std::vector<std::int64_t> with_call_cuts(const GraphSource& source, std::uint32_t track,
                                         std::span<const std::uint32_t> others,
                                         std::vector<std::int64_t> cuts);

// Adds the waits of the stepping thread's calls. `main_count`: the graph's first tasks, which are
// the stepping thread's in order. Contract: called when those of other threads are in the graph.
void add_call_waits(std::uint32_t main_count, TaskGraph& graph);

// ---- GPUs ----
//
// GPU work in the window of a graph: tasks on streams that need their launch and the previous work
// of their stream, and tasks of the host that wait for a GPU.
//
// A launch's delay counts only if the stream was idle. Otherwise the gap to the previous work
// counts. Work that began later than both explain waited for another stream, if work there ended
// right before. Otherwise the reason is unknown, and the work keeps its delay.

// Contract: called once all host tasks are in the graph.
void add_gpu_tasks(const GraphSource& source, std::int64_t from, std::int64_t to, TaskGraph& graph);

}  // namespace laptime::replay
