// Python's interface to the clock of programs without steps: laptime._native.torch_intervals.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

void bind_intervals(nanobind::module_& module);

}  // namespace laptime::torch
