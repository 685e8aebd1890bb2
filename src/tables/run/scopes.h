// Table `scopes`: where the time of each thread went, by name. Threads with the same name are one
// row a name. Steps are left out: they contain everything else. `share` is self time
// against the run's duration.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table scopes_table(const Analysis& analysis);
extern const TableDefinition kScopesTable;

}  // namespace laptime
