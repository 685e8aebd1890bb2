// The rate of the clock, measured over the life of the process: the longer it runs, the truer.
#pragma once

#include <cstdint>

namespace laptime::python {

double ns_per_tick();
inline double ticks_per_second() { return 1e9 / ns_per_tick(); }

}  // namespace laptime::python
