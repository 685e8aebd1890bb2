// Python's hold on the clock of programs without steps: laptime._native.torch_stretches.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

void bind_stretches(nanobind::module_& module);

}  // namespace laptime::torch
