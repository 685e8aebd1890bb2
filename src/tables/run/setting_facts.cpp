#include "tables/run/setting_facts.h"

#include <algorithm>
#include <string_view>

#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr std::string_view kGroups[] = {"loader ", "optimizer ", "torch ", "cpus", "rank"};

bool is_setting(std::string_view key) {
  return std::any_of(std::begin(kGroups), std::end(kGroups),
                     [&](std::string_view group) { return key.starts_with(group); });
}

}  // namespace

Table settings_table(const Analysis& analysis) {
  Table table{
      "settings",
      "Settings",
      {{"key", ColumnType::text}, {"value", ColumnType::text}, {"pid", ColumnType::integer}},
      {}};
  for (const Process& process : analysis.run().processes)
    for (const auto& [key, value] : process.properties)
      if (is_setting(key)) table.rows.push_back({key, value, integer_cell(process.pid)});
  return table;
}

}  // namespace laptime
