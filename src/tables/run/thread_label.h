// What a table calls a track: the thread's name, and the process as well where the run has several.
#pragma once

#include <optional>
#include <string>

#include "trace/code/call_graph.h"
#include "trace/run/run.h"

namespace laptime {

std::string thread_label(const Run& run, const Track& track);

// The thread's name, or "3 threads"; where threads are added up, unknown if the run has counts of
// one thread only.
std::optional<std::string> threads_text(const RowThreads& row, const Run& run, Threads threads);

}  // namespace laptime
