// The loader of a recorded phase: who made its batches, when, and how long each took to reach the
// program.
//
// Assumption: workers are given batches in turn, in the order in which they were started, which
// their pids tell, and the program takes them in that order (torch does). Consequence: the nth
// batch that a loop takes is known among the workers' fetches, and so is what the program waited
// for it though it was made.
#pragma once

#include <span>

#include "replay/input/loader.h"
#include "trace/run/run.h"
#include "trace/time/host_time.h"

namespace laptime::replay {

// `steps`: those of one phase of one thread, in their order.
LoaderFacts find_loader(const Run& run, std::span<const HostStep> steps);

}  // namespace laptime::replay
