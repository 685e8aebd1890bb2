// A table: a name, and columns with a type and a unit. Everything that is shown is a table:
// terminal, JSON, CSV, the page and exports render the same numbers.
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

// mixed: text, integers and reals. The row's `unit` column has the unit_name() of its number.
enum class ColumnType { text, integer, real, mixed };
// The unit decides how a renderer writes a number: 1234567 ns is "1.23 ms" on a screen, and 1234567
// in JSON.
enum class Unit { none, ns, bytes, share, count, per_second, factor };

// If a screen is too narrow, details are left out first. Prominent texts are shortened last.
enum class Prominence { detail, ordinary, prominent };

struct Column {
  std::string name;  // for scripts; never renamed
  ColumnType type;
  Unit unit = Unit::none;
  Prominence prominence = Prominence::ordinary;
};

// monostate is "unknown": null in JSON, empty in CSV, "-" on a screen; never 0.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;
using Row = std::vector<Cell>;

struct Table {
  std::string name;
  std::string title;
  std::vector<Column> columns;
  std::vector<Row> rows;
};

// "ns", "bytes", "share" …. Empty for Unit::none.
const char* unit_name(Unit unit);
// Unit::none for any other text.
Unit unit_from_name(std::string_view name);
const char* type_name(ColumnType type);

inline constexpr Cell kUnknown{};
// A count or a sum of nanoseconds as a cell.
inline Cell integer_cell(std::uint64_t n) { return static_cast<std::int64_t>(n); }
// Unknown if the denominator is 0.
Cell ratio_cell(double numerator, double denominator);

std::optional<std::size_t> find_column(const Table& table, std::string_view name);

// Sorts by falling numbers, then texts in alphabetical order, then unknowns. Equal rows keep their
// order. Accepts torch's names for equivalent columns (cpu_time_total …). An error lists the
// columns that exist.
Status sort_by(Table& table, std::string_view column);
// Keeps the first `rows` rows.
void keep_top(Table& table, std::size_t rows);

// For the column that a grouping adds.
void show_prominently(Table& table, std::string_view column);

// Keeps the columns with these names, in their present order.
void keep_columns(Table& table, std::span<const std::string_view> names);

}  // namespace laptime
