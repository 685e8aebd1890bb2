// Table `memory`: what was alive when most memory was (analyze/memory_peak.h), by device; rows by
// falling bytes.
//
// share is of the bytes alive at that moment. File, line, module and op are those of all the row's
// blocks, unknown where these differ or nobody knows. What is not in any record is no row; where it
// may be more than nothing, a row of category `unknown` without bytes says so.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// What makes blocks of a device different rows; line: category and line.
enum class MemoryGrouping { line, category, op, module };

template <MemoryGrouping grouping>
Table memory_table(const Analysis& analysis);
extern const TableDefinition kMemoryTable;

}  // namespace laptime
