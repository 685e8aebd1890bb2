// Table `modules`: what each nn.Module's ops took. A module's row includes its children (`encoder`
// those of `encoder.0`); self_ns is without them. calls counts the ops that it called itself or
// through its children, not its own forward calls, which nobody records. Ops outside every module
// are the row "(none)". Rows by falling time.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table modules_table(const Analysis& analysis);
extern const TableDefinition kModulesTable;

}  // namespace laptime
