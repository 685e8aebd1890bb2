// Turns reports of the allocator wrapper into records.
#pragma once

#include "collect/torch/memory_abi.h"

namespace laptime::torch {

// Lives as long as the process.
const LaptimeMemoryHost& memory_host();

// Contract: called when recording of memory begins, before the wrapper is on, because names and
// warnings belong to a recording. Counts each beginning: blocks that are alive then and have no
// role are missing in all figures.
void begin_memory();

}  // namespace laptime::torch
