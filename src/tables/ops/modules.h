// Table `modules`: times of each nn.Module's ops, children included. calls counts ops, not the
// module's own forward calls: those are not recorded. Rows by falling time.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table modules_table(const Analysis& analysis);
extern const TableDefinition kModulesTable;

}  // namespace laptime
