// What GPUs did in the window of a graph: tasks on streams that need their launch and what ran
// before them on their stream, and tasks of the host that wait for a GPU.
//
// A launch's delay counts only when the stream had run dry; else the gap to the work before it
// does. Work that began later than either explains waited for another stream, if that ended right
// before, else for something unknown: then its delay stays.
#pragma once

#include "replay/task_graph.h"

namespace laptime::replay {

// To be called once all host tasks are in the graph.
void add_gpu_tasks(const GraphSource& source, std::int64_t from, std::int64_t to, TaskGraph& graph);

}  // namespace laptime::replay
