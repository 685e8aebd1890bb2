// Table `ops`: calls and time of the framework's ops, as torch's key_averages() counts them: cpu_ns
// sums the durations of all calls, inner ones of the same name included; self_cpu_ns is without the
// ops inside. gpu_ns sums what GPUs did for launches made within the calls, self_gpu_ns for those
// made by no op inside; unknown where no GPU was recorded. Backward spans, annotations and
// optimizer spans are rows too. File, line and module are those of all the row's calls, unknown
// where these differ. Ops in steps whose ops rested do not count. Rows by falling self time.
#pragma once

#include "tables/ops/op_sums.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

template <OpGrouping grouping = OpGrouping::name>
Table ops_table(const Analysis& analysis);
extern const TableDefinition kOpsTable;

}  // namespace laptime
