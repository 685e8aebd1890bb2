// The tasks of a thread: what it was in, moment by moment.
#pragma once

#include "replay/task_graph.h"

namespace laptime::replay {

// Where, in the order of ends, the rows begin that end after a moment.
std::size_t first_ending_after(const SpanColumns& spans, const std::vector<std::uint32_t>& order,
                               std::int64_t time);

// Appends the frames and tasks of a thread between two moments, in their order, gaps included.
// `cuts`: moments, rising, at which a task ends in any case. Each task needs the one before it; the
// first needs nothing.
void add_host_tasks(const GraphSource& source, std::uint32_t track, std::int64_t from,
                    std::int64_t to, std::span<const std::int64_t> cuts, TaskGraph& graph);

}  // namespace laptime::replay
