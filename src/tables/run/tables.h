// The list of tables, found by name.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

using TableList = std::span<const TableDefinition* const>;

TableList all_tables();

// An error lists the tables that exist.
Result<const TableDefinition*> find_table(std::string_view name, TableList among = all_tables());
// The function that makes the table in this grouping. An error lists the table's groupings.
Result<MakeTable> find_grouping(const TableDefinition& table, std::string_view name);

// In the order of `makers`. Uses all cores.
std::vector<Table> make_tables(const Analysis& analysis, std::span<const MakeTable> makers);

}  // namespace laptime
