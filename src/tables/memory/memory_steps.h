// Table `memory_steps`: how much memory each recorded step held at most and at its end, and how
// much came and went in it (churn); reserved_bytes is the most that a caching allocator held in it.
// One row a step and device. Steps whose memory was not recorded have no row.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table memory_steps_table(const Analysis& analysis);
extern const TableDefinition kMemoryStepsTable;

}  // namespace laptime
