// The engines as functions of a Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the submodule `engine`; python/laptime/collect/engine is its typed face.
void bind_engine(nanobind::module_& module);

}  // namespace laptime::python
