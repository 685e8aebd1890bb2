// Python's interface to a profile session while it is recorded: laptime._native.torch_session.
// laptime._reader reads the records back.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

// Adds the submodule `torch_session` to the module.
void bind_sessions(nanobind::module_& module);

}  // namespace laptime::torch
