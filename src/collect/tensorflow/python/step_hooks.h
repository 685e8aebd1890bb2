// Turns the events of TensorFlow's Python interface into steps: requested batches, calls of
// tf.functions, gradients of tapes, steps of optimizers. Called a few times in every step of a
// training, recorded or not.
//
// A call of a tf.function in which a tape computed gradients while it was traced counts as the step
// of an optimizer: the function updates the variables. If it requests several batches itself (a
// loop in AutoGraph, Keras's steps_per_execution), each request after the first one ends a step.
//
// Steps are marked on one thread: the main thread, or the first that trains if that does not.
// Assumption: the GIL is held.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::tensorflow {

// Adds the submodule tensorflow_steps to the module.
void bind_step_hooks(nanobind::module_& module);

}  // namespace laptime::tensorflow
