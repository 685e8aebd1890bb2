// Table `phases`: the whole run's time by phase, on each stepping thread. Its rows sum to the run's
// duration.
//
// The phase before, between and after steps has the line with the most own time in it. The line is
// unknown if none was timed.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table phases_table(const Analysis& analysis);
extern const TableDefinition kPhasesTable;

}  // namespace laptime
