// Python's interface to the op recorder: laptime._native.torch_ops.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

void bind_ops(nanobind::module_& module);

}  // namespace laptime::torch
