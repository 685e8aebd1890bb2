#include "cli/report_tables.h"

#include <vector>

#include "advise/advice.h"

namespace laptime {

std::span<const TableDefinition> report_tables() {
  static const std::vector<TableDefinition> tables = [] {
    std::vector<TableDefinition> all(all_tables().begin(), all_tables().end());
    all.push_back({"advice", "what to change, and what that will bring", advice_table});
    return all;
  }();
  return tables;
}

}  // namespace laptime
