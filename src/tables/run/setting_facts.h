// Table `settings`: how the program set its framework up — loaders, optimizers, switches — as
// collectors noted it (docs/records.md).
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table settings_table(const Analysis& analysis);
extern const TableDefinition kSettingsTable;

}  // namespace laptime
