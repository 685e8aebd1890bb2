// The data that torch.profiler's drop-in reads back: a recorded session as events, averages and
// Kineto's trace.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::reader {

// Adds the submodule `torch_events` to the module.
void bind_torch_profile(nanobind::module_& module);

}  // namespace laptime::reader
