// Table `memory_steps`: peak, end and churn of memory in each recorded step. Steps without memory
// records have no row.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table memory_steps_table(const Analysis& analysis);
extern const TableDefinition kMemoryStepsTable;

}  // namespace laptime
