// Whether torch reports a thread as profiled.
#pragma once

namespace laptime_shim {

// `inputs`: torch passes the inputs of a `_RecordFunctionFast`.
int enter_profiler(int inputs);
void leave_profiler();

}  // namespace laptime_shim
