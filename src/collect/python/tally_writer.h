// Writes the engines' counters into the recording: for each thread what was added since the last
// time, at each step mark and at the end, on that thread's own track.
#pragma once

namespace laptime::python {

// Observes the recorder's steps from now on. A mark that is made without the GIL is written by the
// interpreter as soon as it can; where another mark comes first, nobody knows which of the steps
// the counts belong to: they are written as belonging to none, and that is counted as a warning.
void install_tally_writer();

// Writes what was counted so far, as part of the current step. Call with the GIL held, before
// counters are set back.
void write_tallies();

// What was counted so far belongs to no recording. Call with the GIL held, when a recording has
// begun.
void pass_over_tallies();

}  // namespace laptime::python
