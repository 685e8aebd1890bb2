// Table `input`: the cost of waiting for batches, and how busy their makers are.
//
// Rows `wait`, one for each thread and phase: the waiting time of each step, without warmup and
// compiling steps. share is its part of these steps' time. Rows `fetch`, one for each loader
// worker: the time of each batch. share is the part of the time between its first and last batch in
// which it worked.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table input_table(const Analysis& analysis);
extern const TableDefinition kInputTable;

}  // namespace laptime
