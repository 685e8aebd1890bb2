// What torch.profiler's drop-in reads back: the stretch that it profiled, as events, averages and
// Kineto's trace.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the submodule `torch_events` to laptime._native.
void bind_torch_events(nanobind::module_& module);

}  // namespace laptime::python
