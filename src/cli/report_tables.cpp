#include "cli/report_tables.h"

#include <algorithm>
#include <vector>

#include "advise/advice.h"
#include "replay/predict/critical_path.h"
#include "tables/steps/ranks_table.h"

namespace laptime {

TableList report_tables() {
  static const std::vector<const TableDefinition*> tables = [] {
    std::vector<const TableDefinition*> all(all_tables().begin(), all_tables().end());
    const auto ranks = std::find(all.begin(), all.end(), &kRanksTable);
    all.insert(ranks + 1, &replay::kCriticalPathTable);
    all.push_back(&kAdviceTable);
    return all;
  }();
  return tables;
}

}  // namespace laptime
