// Sees the calls of eager ops while ops are recorded: when each one ran, and the line and layer
// that called it. TensorFlow's profiler shows such an op by its type only.
//
// Python calls all eager ops through a few functions of the module pywrap_tfe. These get wrappers
// without a Python frame.
//
// The gradient of an op has the line of the op. A tape keeps the string object with the op's name,
// and passes it to the function that computes the gradient. So the wrappers pass an equal string
// that is another object for each call site.
//
// Assumption: the GIL is held.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::tensorflow {

// Adds the class EagerCalls to the submodule tensorflow_steps.
void bind_eager_calls(nanobind::module_& steps);

}  // namespace laptime::tensorflow
