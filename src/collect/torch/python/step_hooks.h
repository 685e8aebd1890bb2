// Turns the events of torch's loaders and optimizers into steps. Called about ten times in every
// step of a training, recorded or not.
//
// Why C++: the program's own work has evicted this code and data from the caches. The same in
// Python took 20 µs of a step that computes for a millisecond, and a fifth of that in a tight loop.
//
// Steps are marked on one thread: the one whose optimizers step. Until one does, it is the main
// thread. Batches that other threads read (to prepare them, for example) make no steps. Assumption:
// the GIL is held.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

// Adds the submodule torch_steps to the module.
void bind_step_hooks(nanobind::module_& module);

}  // namespace laptime::torch
