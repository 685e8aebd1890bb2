#include "show/csv.h"

#include <fmt/format.h>
#include <charconv>
#include <iterator>
#include <string_view>

#include "show/screen_text.h"

namespace laptime {

namespace {

constexpr const char* kLineEnd = "\r\n";

bool is_number(const std::string& text) {
  double number;
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Spreadsheets execute a cell that begins like a formula. An apostrophe before it makes it text.
bool begins_formula(const std::string& text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos &&
         !is_number(text);
}

void append_text(std::string& out, const std::string& raw) {
  std::string text = printable(raw, "\n\t");
  if (begins_formula(text)) text.insert(0, 1, '\'');
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
