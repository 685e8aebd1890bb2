// Table `functions`: what cProfile counts, by function; rows by falling cumulative time. `share` is own time against the
// own time of all. Own time per call is by all calls, cumulative by primitive ones, as pstats prints them.
#pragma once

#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

Table functions_table(const Run& run);

}  // namespace laptime
