// Prints the generated part of docs/tables.md: a section for each table (tools/table_pages).

#include <fmt/format.h>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/report_tables.h"
#include "replay/predict/whatif_tables.h"
#include "tables/compare/compare.h"

namespace laptime {

namespace {

std::string as_sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

std::string section(const TableDefinition& table) {
  std::string text = fmt::format("\n## {}\n\n{}\n", table.name, as_sentence(table.description));
  std::string_view doc = table.doc;
  if (doc.starts_with('\n')) doc.remove_prefix(1);  // of a raw string
  if (!doc.empty()) text += fmt::format("\n{}\n", doc);
  if (!table.groupings.empty()) {
    std::string names;
    for (const Grouping& grouping : table.groupings)
      names += fmt::format("{}`--by {}`", names.empty() ? "" : ", ", grouping.name);
    text += fmt::format("\nGroupings: {}. The first is the default.\n", names);
  }
  text += "\n| column | type | unit | what it is |\n|---|---|---|---|\n";
  for (const ColumnInfo& column : table.columns())
    text += fmt::format("| `{}` | {} | {} | {} |\n", column.name, type_name(column.type),
                        unit_name(column.unit), column.doc);
  return text;
}

std::vector<const TableDefinition*> documented_tables() {
  const TableList report = report_tables();
  std::vector<const TableDefinition*> tables(report.begin(), report.end());
  tables.insert(tables.end(), {&replay::kWhatifTable, &replay::kWhatifBreakdownTable,
                               &replay::kWhatifNextTable, &kCompareStepsTable});
  return tables;
}

}  // namespace

}  // namespace laptime

int main() {
  for (const laptime::TableDefinition* table : laptime::documented_tables())
    std::fputs(laptime::section(*table).c_str(), stdout);
  return 0;
}
