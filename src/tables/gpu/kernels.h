// Table `kernels`: GPU time by kernel, op and line. Rows by falling time. occupancy (occupancy.h)
// is the mean over calls.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// The value that divides rows beside kernel, op, line and pass.
enum class KernelGrouping { line, device, module };

template <KernelGrouping grouping>
Table kernels_table(const Analysis& analysis);
extern const TableDefinition kKernelsTable;

}  // namespace laptime
