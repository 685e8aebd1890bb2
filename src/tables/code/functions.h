// Table `functions`: what cProfile counts, by function; rows by falling cumulative time. `share` is
// own time against the own time of all. Own time per call is by all calls, cumulative by primitive
// ones, as pstats prints them. note: marks functions whose calls were over the budget. thread:
// whose it is, where several threads were counted.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table functions_table(const Analysis& analysis);
// Each thread's own rows; `share` is within the thread.
Table functions_by_thread_table(const Analysis& analysis);
extern const TableDefinition kFunctionsTable;

}  // namespace laptime
