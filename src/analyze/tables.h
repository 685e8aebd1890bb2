// The tables that can be asked for by name.
#pragma once

#include <span>
#include <string_view>

#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

struct TableDefinition {
  const char* name;
  const char* description;  // for help texts
  Table (*make)(const Run&);
};

std::span<const TableDefinition> all_tables();

// An error names the tables that exist.
Result<const TableDefinition*> find_table(std::string_view name);

}  // namespace laptime
