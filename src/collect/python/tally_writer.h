// Writes the engines' counters into the recording: what was added since the last time, at each step mark and at the end.
#pragma once

namespace laptime::python {

// Observes the recorder's steps from now on. A mark that is made without the GIL is passed over: what it would have
// written goes with the next.
void install_tally_writer();

}  // namespace laptime::python
