// SIGTERM while engines count in memory: Python is requested to write the counts, and then the
// process ends as usual.
//
// Assumption: Python may never answer (a collective, a wait for the GPU, a long op). Consequence: a
// timer interrupts it repeatedly with the signal that Python answers. After a second the default
// action is taken, whatever Python does. Counts that were not written are a warning. Contract: the
// program sees SIG_DFL when it queries Python. A handler that it installs replaces this one. A
// process that was forked without Python's knowledge, or whose Python has ended, ends at once,
// because nothing would answer.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the submodule `sigterm`.
void bind_sigterm(nanobind::module_& module);

}  // namespace laptime::python
