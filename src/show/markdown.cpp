#include "show/markdown.h"

#include "show/column_text.h"
#include "show/humane_cell.h"
#include "show/screen_text.h"

namespace laptime {

namespace {

// Nothing in a name may end the cell or the row.
std::string cell_text(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '|' || c == '\\' || c == '`') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::vector<std::size_t> shown_columns(const Table& table) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!is_unknown_throughout(table, i)) shown.push_back(i);
  return shown;
}

void append_table(std::string& out, const Table& table) {
  out += "### " + cell_text(table.title) + "\n\n|";
  const std::vector<std::size_t> shown = shown_columns(table);
  for (const std::size_t i : shown) out += " " + cell_text(header_of(table.columns[i])) + " |";
  out += "\n|";
  for (const std::size_t i : shown) out += table.columns[i].type == ColumnType::text ? "---|" : "---:|";
  out += "\n";
  for (const Row& row : table.rows) {
    out += '|';
    for (const std::size_t i : shown) out += " " + cell_text(humane_cell(row[i], unit_of(table, table.columns[i], row))) + " |";
    out += "\n";
  }
}

}  // namespace

std::string to_markdown(const std::vector<Table>& tables) {
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty()) out += "\n";
    append_table(out, table);
  }
  return out;
}

}  // namespace laptime
