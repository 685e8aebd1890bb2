#include "show/json.h"

#include <fmt/format.h>
#include <cmath>
#include <iterator>

#include "base/utf8.h"

namespace laptime {

namespace {

class JsonTable {
 public:
  JsonTable(std::string& out, const Table& table) : out_(out), table_(table) {}

  void write() {
    out_ += "{\"name\": ";
    append_json_string(out_, table_.name);
    out_ += ", \"title\": ";
    append_json_string(out_, table_.title);
    out_ += ", \"columns\": [";
    each(table_.columns, ", ", [&](const Column& column) { write_column(column); });
    out_ += "], \"rows\": [";
    each(table_.rows, ",", [&](const Row& row) {
      out_ += "\n  [";
      each(row, ", ", [&](const Cell& cell) { write_cell(cell); });
      out_ += ']';
    });
    out_ += "]}";
  }

 private:
  template <typename Items, typename Write>
  void each(const Items& items, const char* separator, Write write) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += separator;
      first = false;
      write(item);
    }
  }
  void write_column(const Column& column) {
    out_ += "{\"name\": ";
    append_json_string(out_, column.name);
    fmt::format_to(std::back_inserter(out_),
                   ", \"type\": \"{}\", \"unit\": ", type_name(column.type));
    if (column.unit == Unit::none)
      out_ += "null}";
    else
      fmt::format_to(std::back_inserter(out_), "\"{}\"}}", unit_name(column.unit));
  }
  void write_cell(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell))
      append_json_string(out_, *text);
    else if (const auto* integer = std::get_if<std::int64_t>(&cell))
      fmt::format_to(std::back_inserter(out_), "{}", *integer);
    else if (const auto* real = std::get_if<double>(&cell); real && std::isfinite(*real))
      fmt::format_to(std::back_inserter(out_), "{}", *real);
    else
      out_ += "null";
  }

  std::string& out_;
  const Table& table_;
};

}  // namespace

std::string to_json(const std::vector<Table>& tables) {
  std::string out = "{\"laptime\": \"" LAPTIME_VERSION "\", \"tables\": [";
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    JsonTable(out, tables[i]).write();
  }
  return out + "\n]}\n";
}

}  // namespace laptime
