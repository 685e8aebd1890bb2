// The one answer type: a named table whose columns have a type and a unit. Analyses make Tables;
// terminal, JSON, CSV, the page and exports render them, so every way of looking shows the same
// numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace laptime {

// mixed: text, integers and reals; what a row's number means stands in the row's `unit` column, as
// unit_name() gives it.
enum class ColumnType { text, integer, real, mixed };
// What a number means, so that a renderer can say it humanely: 1234567 ns is "1.23 ms" on a screen,
// 1234567 in JSON.
enum class Unit { none, ns, bytes, share, count, per_second, factor };

// Where a screen is too narrow details go first, and prominent texts stay readable while there is
// anything else to leave out.
enum class Prominence { detail, ordinary, prominent };

struct Column {
  std::string name;  // as scripts know it (DESIGN §8); stable
  ColumnType type;
  Unit unit = Unit::none;
  Prominence prominence = Prominence::ordinary;
};

// monostate is "unknown": null in JSON, empty in CSV, "-" on a screen; never a made-up 0.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Cell>;

struct Table {
  std::string name;
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
};

// "ns", "bytes", "share" …; empty for Unit::none.
const char* unit_name(Unit unit);
// Unit::none for what is no unit's name.
Unit unit_from_name(std::string_view name);
const char* type_name(ColumnType type);

inline constexpr Cell kUnknown{};
// A count or a sum of nanoseconds as a cell.
inline Cell integer_cell(std::uint64_t n) { return static_cast<std::int64_t>(n); }
// Unknown when the denominator is 0.
Cell ratio_cell(double numerator, double denominator);

std::optional<std::size_t> find_column(const Table& table, std::string_view name);

// Largest numbers first, texts in alphabetical order, unknowns last; equal rows stay as they were.
// Torch's names for sorting (cpu_time_total …) stand for the columns that hold the same. An error
// names the columns that exist.
Status sort_by(Table& table, std::string_view column);
// Keeps the first `rows` rows.
void keep_top(Table& table, std::size_t rows);

// For the column that a grouping divides rows by.
void show_prominently(Table& table, std::string_view column);

// Keeps the columns of these names, in their present order.
void keep_columns(Table& table, std::span<const std::string_view> names);

}  // namespace laptime
