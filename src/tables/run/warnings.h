// Table `warnings`: what was dropped, cut, estimated or could not be read, by name; the gravest
// first.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table warnings_table(const Analysis& analysis);
extern const TableDefinition kWarningsTable;

}  // namespace laptime
