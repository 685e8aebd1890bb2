#include "show/csv.h"

#include <fmt/format.h>
#include <iterator>

#include "base/utf8.h"

namespace laptime {

namespace {

constexpr const char* kLineEnd = "\r\n";

void append_text(std::string& out, const std::string& raw) {
  const std::string text = make_valid_utf8(raw);
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_cell(std::string& out, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell))
    append_text(out, *text);
  else if (const auto* integer = std::get_if<std::int64_t>(&cell))
    fmt::format_to(std::back_inserter(out), "{}", *integer);
  else if (const auto* real = std::get_if<double>(&cell))
    fmt::format_to(std::back_inserter(out), "{}", *real);
}

void append_table(std::string& out, const Table& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_text(out, table.columns[i].name);
  }
  out += kLineEnd;
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      append_cell(out, row[i]);
    }
    out += kLineEnd;
  }
}

}  // namespace

std::string to_csv(const std::vector<Table>& tables) {
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty()) out += kLineEnd;
    append_table(out, table);
  }
  return out;
}

}  // namespace laptime
