// Table `compile`: compilations, recompilations and graph breaks, equal ones together, with where and why. Rows by falling
// time, then count.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"

namespace laptime {

Table compile_table(const Analysis& analysis);

}  // namespace laptime
