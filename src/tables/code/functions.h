// Table `functions`: calls and times by function. Rows by falling cumulative time. As in pstats,
// own time is divided by all calls and cumulative time by primitive calls.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table functions_table(const Analysis& analysis);
// One row for each function and thread. `share` is within the thread.
Table functions_by_thread_table(const Analysis& analysis);
extern const TableDefinition kFunctionsTable;

}  // namespace laptime
