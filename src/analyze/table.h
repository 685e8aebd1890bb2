// The one answer type: a named table whose columns have a type and a unit. Analyses make Tables; terminal, JSON, CSV,
// the page and exports render them, so every way of looking shows the same numbers.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace laptime {

enum class ColumnType { text, integer, real };
// What a number means, so that a renderer can say it humanely: 1234567 ns is "1.23 ms" on a screen, 1234567 in JSON.
enum class Unit { none, ns, bytes, share, count, per_second, factor };

struct Column {
  std::string name;  // as scripts know it (DESIGN §8); stable
  ColumnType type;
  Unit unit;
};

// monostate is "unknown": null in JSON, empty in CSV, "-" on a screen; never a made-up 0.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct Table {
  std::string name;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

// "ns", "bytes", "share" …; empty for Unit::none.
const char* unit_name(Unit unit);

}  // namespace laptime
