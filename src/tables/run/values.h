// Table `values`: numbers recorded over time, by name and thread. Infinite numbers and nan are
// counted, but not in min, max and mean.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table values_table(const Analysis& analysis);
extern const TableDefinition kValuesTable;

}  // namespace laptime
