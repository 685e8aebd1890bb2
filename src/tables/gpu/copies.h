// Table `copies`: copies and fills of GPUs, by direction, memory and line. Rows by falling time.
//
// An asynchronous call takes a few microseconds and does not wait. Neither does the launch of a
// graph that contains the copy.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// The value that divides rows beside kind, memory, line and op.
enum class CopyGrouping { line, device };

template <CopyGrouping grouping>
Table copies_table(const Analysis& analysis);
extern const TableDefinition kCopiesTable;

}  // namespace laptime
