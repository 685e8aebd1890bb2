// Ops that torch's own profiler timed, told after the fact: the way for a torch that the callbacks
// do not fit.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

// Adds clock_point and put_profiled to the module.
void bind_profiled_ops(nanobind::module_& module);

}  // namespace laptime::torch
