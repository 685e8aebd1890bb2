// Table `input`: what waiting for batches costs, and how busy those are who make them.
//
// Rows `wait`: one a thread and phase; the time that each step spends waiting, over all steps but
// warmup and those that compile; share is that of these steps' time. Rows `fetch`: one a loader
// worker; the time that each batch took it; share is how much of the time between its first and
// last batch it worked: near 1 means that more workers would help.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table input_table(const Analysis& analysis);
extern const TableDefinition kInputTable;

}  // namespace laptime
