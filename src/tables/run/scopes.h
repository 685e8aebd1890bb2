// Table `scopes`: time by name and thread. Threads with the same name share a row. Steps are left
// out, because they contain everything else.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table scopes_table(const Analysis& analysis);
extern const TableDefinition kScopesTable;

}  // namespace laptime
