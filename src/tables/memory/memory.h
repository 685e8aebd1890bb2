// Table `memory`: the live blocks at the peak (memory_peak.h), by device. Rows by falling bytes.
//
// Unrecorded blocks have no row. If there may be some, a row of category `unknown` has no bytes.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// The value that divides a device's blocks into rows. line: category and line.
enum class MemoryGrouping { line, category, op, module };

template <MemoryGrouping grouping>
Table memory_table(const Analysis& analysis);
extern const TableDefinition kMemoryTable;

}  // namespace laptime
