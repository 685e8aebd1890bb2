// Table `phases`: the whole run's time by phase, on each stepping thread. Its rows sum to the run's
// duration.
//
// Each row names the line with the most own time in its part of the run. The line is unknown if
// none was timed.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table phases_table(const Analysis& analysis);
extern const TableDefinition kPhasesTable;

}  // namespace laptime
