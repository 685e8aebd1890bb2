// Table `losses`: what was dropped, cut, estimated or could not be read, by name; the gravest
// first.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table losses_table(const Analysis& analysis);
extern const TableDefinition kLossesTable;

}  // namespace laptime
