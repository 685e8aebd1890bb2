#include "cli/report_tables.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "advise/advice.h"
#include "replay/predict/critical_path.h"

namespace laptime {

std::span<const TableDefinition> report_tables() {
  static const std::vector<TableDefinition> tables = [] {
    std::vector<TableDefinition> all(all_tables().begin(), all_tables().end());
    const auto after_ranks = std::find_if(all.begin(), all.end(),
                                          [](const TableDefinition& table) {
                                            return std::string_view(table.name) == "ranks";
                                          }) +
                             1;
    all.insert(after_ranks, {"critical_path",
                             "what a median step and a slow one consist of, one after the other",
                             replay::critical_path_table});
    all.push_back({"advice", "what to change, and what that will bring", advice_table});
    return all;
  }();
  return tables;
}

}  // namespace laptime
