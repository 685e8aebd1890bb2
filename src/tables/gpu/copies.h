// Table `copies`: what was moved to, from and on the GPUs, copies and fills, by direction, memory
// and line; rows by falling time.
//
// blocking, wait_ns: whether the host stood in the calls, and how long. Only copies of pageable
// memory and those that were asked to block do: an asynchronous call takes its few microseconds and
// waits for nothing, and neither does the launch of a graph that holds the copy.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// What makes different rows besides kind, memory, line and op.
enum class CopyGrouping { line, device };

template <CopyGrouping grouping>
Table copies_table(const Analysis& analysis);
extern const TableDefinition kCopiesTable;

}  // namespace laptime
