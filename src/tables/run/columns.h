// The columns of a table. Each is declared once: name, unit, prominence, documentation, and the
// function that makes its cell from the facts of a row.
//
// Contract: a cell function captures nothing; the facts contain all that it needs. Consequence: the
// columns are known without a run, and docs/tables.md is generated from them.
//
// The return type is the column's type: integer, double or text, or a std::optional of one if a
// cell may be unknown. Returning Cell makes a column of mixed type.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tables/run/table.h"
#include "trace/analysis.h"

namespace laptime {

template <typename Value>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

template <typename Value>
consteval ColumnType column_type() {
  if constexpr (kIsOptional<Value>) {
    return column_type<typename Value::value_type>();
  } else if constexpr (std::is_same_v<Value, Cell>) {
    return ColumnType::mixed;
  } else if constexpr (std::is_floating_point_v<Value>) {
    return ColumnType::real;
  } else if constexpr (std::is_integral_v<Value>) {
    static_assert(!std::is_same_v<Value, bool>, "a column has no truth values: text or 0 and 1");
    return ColumnType::integer;
  } else {
    static_assert(std::is_convertible_v<Value, std::string_view>);
    return ColumnType::text;
  }
}

template <typename Value>
Cell make_cell(Value value) {
  if constexpr (kIsOptional<Value>) {
    if (!value) return kUnknown;
    return make_cell(*std::move(value));
  } else if constexpr (std::is_same_v<Value, Cell>) {
    return value;
  } else if constexpr (std::is_floating_point_v<Value>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return static_cast<std::int64_t>(value);
  } else {
    return Cell(std::in_place_type<std::string>, std::move(value));
  }
}

// The facts of a column that do not depend on a run.
struct ColumnInfo {
  const char* name = "";
  ColumnType type = ColumnType::text;
  Unit unit = Unit::none;
  Prominence prominence = Prominence::ordinary;
  const char* doc = "";  // one sentence of Markdown
};

template <typename Facts>
struct ColumnOf {
  ColumnInfo info;
  Cell (*cell)(const Facts&) = nullptr;

  ColumnOf() = default;
  template <typename MakeCell>
  constexpr ColumnOf(const char* name, Unit unit, const char* doc, MakeCell,
                     Prominence prominence = Prominence::ordinary)
      : info{name, column_type<std::invoke_result_t<MakeCell, const Facts&>>(), unit, prominence,
             doc},
        cell([](const Facts& facts) { return make_cell(MakeCell{}(facts)); }) {
    static_assert(std::is_empty_v<MakeCell>, "the facts hold what a cell needs");
  }
  template <typename MakeCell>
    requires std::invocable<MakeCell, const Facts&>
  constexpr ColumnOf(const char* name, const char* doc, MakeCell make,
                     Prominence prominence = Prominence::ordinary)
      : ColumnOf(name, Unit::none, doc, make, prominence) {}
};

// Joins lists of columns.
template <typename Facts, std::size_t... sizes>
constexpr auto join_columns(const std::array<ColumnOf<Facts>, sizes>&... parts) {
  std::array<ColumnOf<Facts>, (0 + ... + sizes)> all;
  std::size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const ColumnOf<Facts>& column : part) all[at++] = column;
  };
  (append(parts), ...);
  return all;
}

// How to make a table from facts, one row for each.
template <typename Facts>
struct TableOf {
  const char* name;
  std::span<const ColumnOf<Facts>> columns;

  Table empty(std::string title) const {
    Table table{name, std::move(title), {}, {}};
    table.columns.reserve(columns.size());
    for (const ColumnOf<Facts>& column : columns)
      table.columns.push_back(
          {column.info.name, column.info.type, column.info.unit, column.info.prominence});
    return table;
  }
  Row row(const Facts& facts) const {
    Row row;
    row.reserve(columns.size());
    for (const ColumnOf<Facts>& column : columns) row.push_back(column.cell(facts));
    return row;
  }
  void add(Table& table, const Facts& facts) const { table.rows.push_back(row(facts)); }
  Table build(std::string title, std::span<const Facts> rows) const {
    Table table = empty(std::move(title));
    table.rows.reserve(rows.size());
    for (const Facts& facts : rows) add(table, facts);
    return table;
  }
};

using MakeTable = Table (*)(const Analysis&);

// Another way to divide a table into rows.
struct Grouping {
  const char* name;
  MakeTable make;
};

// A table's description for help texts and docs/tables.md, and the function that makes it.
struct TableDefinition {
  const char* name;
  const char* description;  // for help texts: the table's question in one line
  const char* doc;          // Markdown: what a reader needs beside the columns
  std::vector<ColumnInfo> (*columns)();
  MakeTable make = nullptr;  // null: it is made from several runs
  std::span<const Grouping> groupings = {};
};

template <const auto& table>
std::vector<ColumnInfo> list_columns() {
  std::vector<ColumnInfo> all;
  for (const auto& column : table.columns) all.push_back(column.info);
  return all;
}

template <const auto& table>
constexpr TableDefinition define_table(const char* description, const char* doc, MakeTable make,
                                       std::span<const Grouping> groupings = {}) {
  return {table.name, description, doc, list_columns<table>, make, groupings};
}

// Unknown if the denominator is 0.
template <typename Numerator, typename Denominator>
std::optional<double> ratio(Numerator numerator, Denominator denominator) {
  if (denominator == 0) return std::nullopt;
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

// The value if it is known.
template <typename Value>
std::optional<Value> known_if(bool known, Value value) {
  return known ? std::optional<Value>(std::move(value)) : std::nullopt;
}

// Unknown if the text is empty.
inline std::optional<std::string_view> known_text(std::string_view text) {
  return known_if(!text.empty(), text);
}

}  // namespace laptime
