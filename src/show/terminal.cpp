#include "show/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "show/advice_text.h"
#include "show/column_text.h"
#include "show/humane_cell.h"
#include "show/screen_text.h"

namespace laptime {

namespace {

constexpr std::size_t kIndent = 2, kGap = 2;
constexpr std::size_t kNarrowestText = 12, kReadableText = 20, kNarrowestProminent = 28,
                      kReadableName = 40;
constexpr std::size_t kWidestName = 72;
constexpr std::size_t kFewestColumns = 3;
constexpr std::size_t kBarCells = 10;

// "█▌": eighths of a cell, so that small shares are visible.
std::string bar(double share) {
  static constexpr const char* kPartial[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBarCells * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kPartial[eighths % 8];
}

// The layout of a column.
struct ScreenColumn {
  std::string header;
  bool right = false;
  bool may_shrink = false;
  bool is_bar = false;
  bool is_name = false;  // kernels have names longer than a screen is wide
  Prominence prominence = Prominence::ordinary;
  std::vector<std::string> cells;
  std::size_t width = 0, least_width = 0;

  void measure() {
    width = std::max(screen_width(header), least_width);
    for (const std::string& cell : cells) width = std::max(width, screen_width(cell));
    if (is_name) width = std::min(width, kWidestName);
  }
  std::size_t narrowest_width() const {
    return std::max(prominence == Prominence::prominent ? kNarrowestProminent : kNarrowestText,
                    least_width);
  }
  std::size_t readable_width() const {
    return std::max(is_name ? kReadableName : kReadableText, least_width);
  }
};

class ScreenTable {
 public:
  ScreenTable(const Table& table, const TerminalStyle& style) : table_(table), style_(style) {
    const bool mixed = std::any_of(table.columns.begin(), table.columns.end(),
                                   [](const Column& c) { return c.type == ColumnType::mixed; });
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (mixed && table.columns[i].name == "unit") continue;
      if (is_unknown_throughout(table, i)) continue;
      add_column(i);
      if (table.columns[i].unit == Unit::share) add_bars(i);
    }
    if (style.compact && !columns_.empty())
      columns_.front().least_width = std::max(screen_width(table.title), kIndent) - kIndent;
    for (ScreenColumn& column : columns_) column.measure();
    fit();
  }

  std::string print() const {
    if (table_.rows.empty()) return paint("1", printable(title())) + "\n  none\n";
    const bool list = is_fact_list();
    std::string out =
        style_.compact ? paint("1", title_line()) + "\n" : paint("1", printable(title())) + "\n";
    if (!list && !style_.compact) out += paint("2", line(headers())) + "\n";
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      if (list && std::holds_alternative<std::monostate>(table_.rows[row][1])) continue;
      std::vector<std::string> cells;
      for (const ScreenColumn& column : columns_)
        cells.push_back(shorten_middle(column.cells[row], column.width));
      out += line(cells) + "\n";
    }
    return out;
  }

 private:
  // A list of facts has no header and no rows of unknown facts.
  bool is_fact_list() const {
    return table_.columns.size() == 3 && table_.columns[1].type == ColumnType::mixed;
  }

  void add_column(std::size_t index) {
    const Column& column = table_.columns[index];
    ScreenColumn screen;
    screen.header = header_of(column);
    screen.right = column.type == ColumnType::integer || column.type == ColumnType::real;
    screen.may_shrink = !screen.right;
    screen.prominence = column.prominence;
    screen.is_name = column.name == "name";
    for (const Row& row : table_.rows)
      screen.cells.push_back(printable(text_of(column, row[index], unit_of(table_, column, row))));
    columns_.push_back(std::move(screen));
  }
  std::string text_of(const Column& column, const Cell& cell, Unit unit) const {
    const auto* text = std::get_if<std::string>(&cell);
    return text && column.name == "file" ? shorter_path(*text, style_.directory)
                                         : humane_cell(cell, unit);
  }
  void add_bars(std::size_t index) {
    ScreenColumn screen;
    screen.is_bar = true;
    for (const Row& row : table_.rows) {
      const auto* share = std::get_if<double>(&row[index]);
      screen.cells.push_back(share ? bar(*share) : "");
    }
    columns_.push_back(std::move(screen));
  }
  std::size_t total_width() const {
    std::size_t total = kIndent + kGap * (columns_.size() - 1);
    for (const ScreenColumn& column : columns_) total += column.width;
    return total;
  }
  // If the table is too wide: bars are removed first. Then the widest text column shrinks while it
  // remains readable. Then details are removed. Then texts shrink further. Then columns are removed
  // from the right, where the less important ones are.
  void fit() {
    if (style_.width == 0 || total_width() <= style_.width) return;
    std::erase_if(columns_, [](const ScreenColumn& column) { return column.is_bar; });
    shrink_texts(&ScreenColumn::readable_width);
    while (total_width() > style_.width && leave_out_detail())
      shrink_texts(&ScreenColumn::readable_width);
    shrink_texts(&ScreenColumn::narrowest_width);
    for (; columns_.size() > kFewestColumns && total_width() > style_.width; ++left_out_) {
      columns_.pop_back();
      for (ScreenColumn& column : columns_) column.measure();
      shrink_texts(&ScreenColumn::narrowest_width);
    }
  }
  bool leave_out_detail() {
    const auto last = std::find_if(
        columns_.rbegin(), columns_.rend(),
        [](const ScreenColumn& column) { return column.prominence == Prominence::detail; });
    if (last == columns_.rend()) return false;
    columns_.erase(std::next(last).base());
    ++left_out_;
    for (ScreenColumn& column : columns_) column.measure();
    return true;
  }
  void shrink_texts(std::size_t (ScreenColumn::*least)() const) {
    for (std::size_t total = total_width(); total > style_.width; --total) {
      ScreenColumn* widest = nullptr;
      for (ScreenColumn& column : columns_)
        if (column.may_shrink && column.width > (column.*least)() &&
            (!widest || column.width > widest->width))
          widest = &column;
      if (!widest) return;
      --widest->width;
    }
  }
  std::vector<std::string> headers() const {
    std::vector<std::string> headers;
    for (const ScreenColumn& column : columns_) headers.push_back(column.header);
    return headers;
  }
  // The header line, with the title in place of the first column's header.
  std::string title_line() const {
    std::vector<std::string> cells = headers();
    cells.front() = printable(table_.title);
    const std::size_t width = kIndent + columns_.front().width;
    const std::string padding(width - std::min(width, screen_width(cells.front())), ' ');
    const std::string title = cells.front() + padding;
    cells.front().clear();
    const std::string rest = line(cells);
    return rest.size() <= width ? printable(table_.title) : title + rest.substr(width);
  }
  std::string title() const {
    if (left_out_ == 0) return table_.title;
    return fmt::format("{} ({} column{} left out: too narrow)", table_.title, left_out_,
                       left_out_ == 1 ? "" : "s");
  }
  std::string line(const std::vector<std::string>& cells) const {
    std::string out(kIndent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(
          columns_[i].width - std::min(columns_[i].width, screen_width(cells[i])), ' ');
      out += columns_[i].right ? padding + cells[i] : cells[i] + padding;
      out.append(kGap, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  }
  std::string paint(const char* code, const std::string& text) const {
    return style_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  const Table& table_;
  const TerminalStyle& style_;
  std::vector<ScreenColumn> columns_;
  std::size_t left_out_ = 0;
};

}  // namespace

TerminalStyle style_for(int fd) {
  TerminalStyle style;
  const bool terminal = ::isatty(fd) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  style.colour = terminal && (!no_colour || !*no_colour);
  winsize size{};
  if (terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  if (const char* columns = std::getenv("COLUMNS")) {
    const unsigned long width = std::strtoul(columns, nullptr, 10);
    if (width > 0) style.width = width;
  }
  return style;
}

std::string to_terminal(const std::vector<Table>& tables, const TerminalStyle& style) {
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty() && !style.compact) out += '\n';
    out += table.name == kAdviceTableName ? advice_text(table, style)
                                          : ScreenTable(table, style).print();
  }
  return out;
}

}  // namespace laptime
