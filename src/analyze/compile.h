// Table `compile`: compilations, recompilations and graph breaks, equal ones together, with where and why. Rows by falling
// time, then count.
#pragma once

#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

Table compile_table(const Run& run);

}  // namespace laptime
