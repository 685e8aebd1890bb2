// Table `settings`: the framework's settings that the collectors recorded: loaders, optimizers,
// switches (docs/records.md).
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table settings_table(const Analysis& analysis);
extern const TableDefinition kSettingsTable;

}  // namespace laptime
