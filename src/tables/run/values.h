// Table `values`: the numbers that a program recorded over time, by name and thread. Numbers that
// are not finite count, and are left out of min, max and mean.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table values_table(const Analysis& analysis);
extern const TableDefinition kValuesTable;

}  // namespace laptime
