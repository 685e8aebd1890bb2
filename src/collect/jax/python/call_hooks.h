// Sees the calls of jitted functions, and turns them into dispatch spans and steps.
//
// A jax.jit function that was called before runs no Python: its type calls a C function through a
// pointer in each instance. For functions that the program makes, that pointer leads here.
// Functions of JAX itself, which are single ops, keep theirs.
//
// Only the outermost call on a thread counts. While JAX traces, calls compute nothing and do not
// count. Assumption: the GIL is held.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::jax {

// Adds the submodule jax_calls to the module.
void bind_call_hooks(nanobind::module_& module);

}  // namespace laptime::jax
