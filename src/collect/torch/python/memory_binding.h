// Python's interface to the recorder of memory: laptime._native.torch_memory.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

void bind_memory(nanobind::module_& module);

}  // namespace laptime::torch
