// The tables that can be asked for by name.
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

// An error names the tables that exist.
Result<const TableDefinition*> find_table(std::string_view name, TableList among = all_tables());
// What makes the table in that grouping; an error names the groupings that it has.
Result<MakeTable> find_grouping(const TableDefinition& table, std::string_view name);

// The tables in the order of their makers, made on all cores.
std::vector<Table> make_tables(const Analysis& analysis, std::span<const MakeTable> makers);

}  // namespace laptime
