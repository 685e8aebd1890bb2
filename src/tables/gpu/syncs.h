// Table `syncs`: waits for a GPU (gpu_waits.h) by call, line and op. Rows by falling time. Copies
// to a GPU that make the host wait are in table `copies`.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table syncs_table(const Analysis& analysis);
extern const TableDefinition kSyncsTable;

}  // namespace laptime
