// The name of a thread in tables. With several processes it includes the process.
#pragma once

#include <optional>
#include <string>

#include "trace/code/call_graph.h"
#include "trace/run/run.h"

namespace laptime {

std::string thread_label(const Run& run, const Track& track);

// The thread's name, or "3 threads". With added-up threads it is unknown if only one thread of the
// run has counts.
std::optional<std::string> threads_text(const RowThreads& row, const Run& run, Threads threads);

}  // namespace laptime
