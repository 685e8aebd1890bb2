// What torch's loaders and optimizers do, made steps of: called some ten times in every step of a
// training, recorded or not.
//
// C++ because the program's own work has thrown out of the caches whatever this touches: the same
// in Python took 20 µs of a step that computes for a millisecond, a fifth of that in a loop of its
// own.
//
// Steps are marked on one thread: the one whose optimizers step, and until one does, the main
// thread. What other threads read (a thread that prepares batches) makes no steps there.
// Assumption: the GIL is held.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

// Adds the submodule torch_steps to the module.
void bind_step_hooks(nanobind::module_& module);

}  // namespace laptime::torch
