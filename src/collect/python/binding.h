// The engines as functions of a Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the submodule `engine`. python/laptime/collect/engine wraps it with types.
void bind_engine(nanobind::module_& module);

}  // namespace laptime::python
