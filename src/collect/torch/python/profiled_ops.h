// Ops that torch's own profiler timed, added afterwards: for torch versions whose callbacks cannot
// be used.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

// Adds clock_point and put_profiled to the module.
void bind_profiled_ops(nanobind::module_& module);

}  // namespace laptime::torch
