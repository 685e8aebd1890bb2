#include <algorithm>
#include <filesystem>
#include <map>

#include "analyze/compare.h"
#include "analyze/steps.h"
#include "analyze/tables.h"

namespace laptime {

namespace {

// Which table is compared, by which columns its rows are aligned, and what number of theirs is compared.
struct Alignment {
  const char* table;
  std::vector<const char*> keys;
  const char* value;
  enum class Per { already_a_step, step, recorded_step } per;
};

const Alignment kAlignments[] = {
    {"breakdown", {"view", "category"}, "ns_per_step", Alignment::Per::already_a_step},
    {"lines", {"file", "function", "source"}, "self_ns", Alignment::Per::step},
    {"ops", {"name"}, "self_cpu_ns", Alignment::Per::recorded_step},
    {"kernels", {"name"}, "total_ns", Alignment::Per::recorded_step},
    {"scopes", {"name", "thread"}, "self_ns", Alignment::Per::step},
    {"functions", {"file", "name"}, "tottime_ns", Alignment::Per::step},
};

struct Sides {
  double a = 0, b = 0;
  double change() const { return b - a; }
};
using Aligned = std::map<std::vector<std::string>, Sides>;

// Steps of the run, or only those whose ops were recorded; 1 for a run without, whose totals are compared then.
double steps_of(const Analysis& run, bool recorded_only) {
  const Table steps = steps_table(run);
  if (!recorded_only) return steps.rows.empty() ? 1 : static_cast<double>(steps.rows.size());
  const auto recorded = find_column(steps, "recorded");
  const auto count = std::count_if(steps.rows.begin(), steps.rows.end(), [&](const Row& row) { return row[*recorded] == Cell(std::int64_t{1}); });
  return count == 0 ? 1 : static_cast<double>(count);
}

std::optional<double> number_of(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

// The two runs may lie in different folders: a file is known by its name.
std::string key_text(const char* column, const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  if (!text) return "";
  return std::string_view(column) == "file" ? std::filesystem::path(*text).filename().string() : *text;
}

void add_side(const Analysis& run, const Alignment& alignment, const TableDefinition& definition, double Sides::*side, Aligned& aligned) {
  const Table table = definition.make(run);
  const auto value = find_column(table, alignment.value);
  if (!value) return;
  std::vector<std::size_t> keys;
  for (const char* key : alignment.keys)
    if (const auto column = find_column(table, key)) keys.push_back(*column);
  if (keys.size() != alignment.keys.size()) return;
  const double steps = alignment.per == Alignment::Per::already_a_step
                           ? 1
                           : steps_of(run, alignment.per == Alignment::Per::recorded_step);
  for (const Row& row : table.rows) {
    const auto number = number_of(row[*value]);
    if (!number) continue;
    std::vector<std::string> key;
    for (std::size_t i = 0; i < keys.size(); ++i) key.push_back(key_text(alignment.keys[i], row[keys[i]]));
    aligned[key].*side += *number / steps;
  }
}

Table make_table(const Alignment& alignment, const Aligned& aligned) {
  Table table{std::string("compare_") + alignment.table, std::string("Time a step by ") + alignment.table + ", largest change first", {}, {}};
  for (const char* key : alignment.keys) table.columns.push_back({key, ColumnType::text});
  for (const char* name : {"a_ns", "b_ns", "change_ns"}) table.columns.push_back({name, ColumnType::real, Unit::ns});
  table.columns.push_back({"ratio", ColumnType::real, Unit::factor});
  std::vector<std::pair<std::vector<std::string>, Sides>> rows(aligned.begin(), aligned.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& x, const auto& y) { return std::abs(x.second.change()) > std::abs(y.second.change()); });
  for (const auto& [key, sides] : rows) {
    Row row(key.begin(), key.end());
    row.insert(row.end(), {sides.a, sides.b, sides.change(), ratio_cell(sides.b, sides.a)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<Table> compare_tables(const Analysis& a, const Analysis& b) {
  std::vector<Table> tables;
  for (const Alignment& alignment : kAlignments) {
    const auto definition = find_table(alignment.table);
    if (!definition) continue;
    Aligned aligned;
    add_side(a, alignment, **definition, &Sides::a, aligned);
    add_side(b, alignment, **definition, &Sides::b, aligned);
    if (!aligned.empty()) tables.push_back(make_table(alignment, aligned));
  }
  return tables;
}

}  // namespace laptime
