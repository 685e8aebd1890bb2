// Python's interface to the recorder: start, stop, scopes, steps. A process has one recorder,
// shared with C and C++ code.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the submodule `recording` to laptime._native.
void bind_recording(nanobind::module_& module);

}  // namespace laptime::python
