// Table `kernels`: what the GPUs computed, by kernel, op and line; rows by falling time. Grid,
// block, registers and shared memory are those of all the row's calls, unknown where these differ;
// occupancy is an estimate from them (occupancy.h), the mean over calls. The module is the
// innermost that all of them are in; the region is torch.compile's that they were launched in, in
// backward the one whose line they belong to.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

// What makes different rows besides kernel, op, line and pass.
enum class KernelGrouping { line, device, module };

template <KernelGrouping grouping>
Table kernels_table(const Analysis& analysis);
extern const TableDefinition kKernelsTable;

}  // namespace laptime
