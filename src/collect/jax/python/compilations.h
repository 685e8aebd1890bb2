// Compilations, and the lines that compiled instructions come from.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::jax {

// Adds put_compilation and call_site to the module.
void bind_compilations(nanobind::module_& module);

}  // namespace laptime::jax
