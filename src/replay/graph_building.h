// Builds the task graph of recorded steps: the tasks of their threads, of collectives and of GPUs.
#pragma once

#include <span>

#include "replay/task_graph.h"

namespace laptime::replay {

// Contract: `steps` are neighbours on one thread, and all of them recorded in full.
TaskGraph build_task_graph(const GraphSource& source, std::span<const HostStep> steps);

}  // namespace laptime::replay
