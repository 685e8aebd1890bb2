#include "show/markdown.h"

#include <cctype>
#include <string_view>

#include "show/column_text.h"
#include "show/humane_cell.h"
#include "show/screen_text.h"

namespace laptime {

namespace {

bool begins_link(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("://")) return true;
  return text[at] == '.' && at >= 3 && std::tolower(text[at - 1]) == 'w' &&
         std::tolower(text[at - 2]) == 'w' && std::tolower(text[at - 3]) == 'w';
}

bool is_word(std::string_view text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) ||
                              static_cast<unsigned char>(text[at]) >= 0x80);
}

// An underscore inside a word is literal. At an end of a word, as in "__init__", it would make the
// word bold.
bool is_style(std::string_view text, std::size_t at) {
  return text[at] == '_' && !(at > 0 && is_word(text, at - 1) && is_word(text, at + 1));
}

// Nothing in a name may end the cell or the row, or become a link, an image, HTML or a style.
// "https://…" and "www.…" are links even without brackets.
std::string cell_text(const std::string& text) {
  constexpr std::string_view kSpecial = "|\\`[]!*~#";
  const std::string shown = printable(text);
  std::string escaped;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view rest = std::string_view(shown).substr(i);
    if (rest[0] == '<' || rest[0] == '&') {
      escaped += rest[0] == '<' ? "&lt;" : "&amp;";
      continue;
    }
    if (kSpecial.find(rest[0]) != std::string_view::npos || is_style(shown, i) ||
        begins_link(shown, i))
      escaped += '\\';
    escaped += rest[0];
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
  for (const std::size_t i : shown)
    out += table.columns[i].type == ColumnType::text ? "---|" : "---:|";
  out += "\n";
  for (const Row& row : table.rows) {
    out += '|';
    for (const std::size_t i : shown)
      out += " " + cell_text(humane_cell(row[i], unit_of(table, table.columns[i], row))) + " |";
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
