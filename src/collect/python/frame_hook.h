// The part of the frame hook (CPython 3.10 and 3.11) that the function engine's backend switches.
#pragma once

namespace laptime::python {

void hook_calls(bool on);

}  // namespace laptime::python
