// Table `warnings`, in falling order of severity.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table warnings_table(const Analysis& analysis);
extern const TableDefinition kWarningsTable;

}  // namespace laptime
