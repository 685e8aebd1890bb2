// Table `ops`: calls and time of the framework's ops, as torch's key_averages() counts them. Rows
// by falling self time.
//
// cpu_ns sums the durations of all calls, also of inner calls with the same name. Ops of steps
// whose ops rested are not counted.
#pragma once

#include "tables/ops/op_sums.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

template <OpGrouping grouping = OpGrouping::name>
Table ops_table(const Analysis& analysis);
extern const TableDefinition kOpsTable;

}  // namespace laptime
