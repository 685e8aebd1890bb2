// The rate of the clock, measured over the life of the process. The longer it runs, the more exact
// it is.
#pragma once

#include <cstdint>

namespace laptime::python {

double ns_per_tick();
inline double ticks_per_second() { return 1e9 / ns_per_tick(); }

}  // namespace laptime::python
