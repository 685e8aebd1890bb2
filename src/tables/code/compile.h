// Table `compile`: compilations, recompilations and graph breaks. Rows by falling time, then count.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table compile_table(const Analysis& analysis);
extern const TableDefinition kCompileTable;

}  // namespace laptime
