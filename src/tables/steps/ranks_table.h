// Table `ranks`: one row for each rank.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table ranks_table(const Analysis& analysis);
extern const TableDefinition kRanksTable;

}  // namespace laptime
