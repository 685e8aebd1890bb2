// SIGTERM while engines count in memory: Python is asked to write what they have, and then the
// process ends as ever.
//
// Assumption: Python may never answer (a collective, a wait for the GPU, a long op). Consequence: a
// timer interrupts it again and again, by the signal that Python answers, and after a second the
// default action is taken, whatever Python does meanwhile; what was not written counts as a
// warning. Contract: the program sees SIG_DFL where it asks Python, and what it installs instead is
// its own affair. A process that was forked behind Python's back, or whose Python has ended, dies
// at once: nobody there would answer.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::python {

// Adds the submodule `sigterm`.
void bind_sigterm(nanobind::module_& module);

}  // namespace laptime::python
