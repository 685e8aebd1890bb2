#include "show/column_text.h"

#include <algorithm>

namespace laptime {

namespace {

bool says_per_second(const Column& column) {
  return column.unit == Unit::per_second && column.name.ends_with("_per_s");
}

}  // namespace

std::string header_of(const Column& column) {
  std::string name = column.name;
  if (column.unit == Unit::ns && name.ends_with("_ns")) name.resize(name.size() - 3);
  if (column.unit == Unit::ns && name.starts_with("ns_")) name.erase(0, 3);
  if (says_per_second(column)) name.replace(name.size() - 6, 6, "/s");
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

Unit unit_of(const Table& table, const Column& column, const Row& row) {
  if (says_per_second(column)) return Unit::none;
  if (column.type != ColumnType::mixed) return column.unit;
  const auto at = find_column(table, "unit");
  const auto* name = at ? std::get_if<std::string>(&row[*at]) : nullptr;
  return name ? unit_from_name(*name) : Unit::none;
}

bool is_unknown_throughout(const Table& table, std::size_t column) {
  return !table.rows.empty() &&
         std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
           return std::holds_alternative<std::monostate>(row[column]);
         });
}

}  // namespace laptime
