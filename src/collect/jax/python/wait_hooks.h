// Spans of waits for arrays: `float(x)`, `x.block_until_ready()`, `np.asarray(x)`. Of waits within
// each other, the outermost counts.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::jax {

// Adds the class Wait and the functions on the buffer protocol to the module.
void bind_wait_hooks(nanobind::module_& module);

}  // namespace laptime::jax
