// Turns what the allocator wrapper tells into records.
#pragma once

#include "collect/torch/memory_abi.h"

namespace laptime::torch {

// Lives as long as the process.
const LaptimeMemoryHost& memory_host();

// To be called when recording of memory begins, before the wrapper is on: names and warnings belong
// to a recording. Counted: each beginning, because what is alive then and has no role will not be
// in any figure.
void begin_memory();

}  // namespace laptime::torch
