// Writes the engines' counters into the recording: for each thread the increase since the last
// write, on that thread's track. Writes at each step mark and at the end.
#pragma once

namespace laptime::python {

// Observes the recorder's steps from now on. If a mark is made without the GIL, the interpreter
// writes the counts as soon as it can. If another mark comes first, the step of the counts is
// unknown. Then they are written for no step, and a warning counts it.
void install_tally_writer();

// Writes the counts so far as part of the current step. Contract: the GIL is held. Called before
// counters are reset.
void write_tallies();

// The counts so far belong to no recording. Contract: the GIL is held. Called when a recording has
// begun.
void ignore_tallies();

}  // namespace laptime::python
