#include "show/advice_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "show/humane_cell.h"
#include "show/screen_text.h"

namespace laptime {

namespace {

constexpr std::size_t kWidest = 120, kNarrowest = 40;

class AdviceText {
 public:
  AdviceText(const Table& table, const TerminalStyle& style)
      : table_(table), style_(style), width_(std::clamp(style.width == 0 ? kWidest : style.width, kNarrowest, kWidest)) {}

  std::string print() const {
    std::string out = paint("1", printable(table_.title)) + "\n";
    if (table_.rows.empty()) return out + "  none\n";
    for (const Row& row : table_.rows) {
      out += fmt::format("  {}{}\n", paint("1", headline(row)), place(row));
      out += wrapped(text(row, "message"), "    ");
      out += wrapped("→ " + text(row, "fix"), "    ");
    }
    return out;
  }

 private:
  const Cell& cell(const Row& row, std::string_view column) const {
    const auto index = find_column(table_, column);
    return index ? row[*index] : kUnknown;
  }
  std::string text(const Row& row, std::string_view column) const { return printable(humane_cell(cell(row, column), Unit::none)); }

  // "1.27–1.74 ×  no-workers (medium)"; of a risk no gain is known.
  std::string headline(const Row& row) const {
    const auto *low = std::get_if<double>(&cell(row, "gain_low")), *high = std::get_if<double>(&cell(row, "gain_high"));
    const std::string gain = low && high ? gain_text(*low, *high) + "  " : "";
    return fmt::format("{}{} ({})", gain, text(row, "rule"), text(row, "confidence"));
  }
  static std::string gain_text(double low, double high) {
    const auto digits = [](double gain) { return gain < 10 ? fmt::format("{:.2f}", gain) : fmt::format("{:.0f}", gain); };
    return digits(low) == digits(high) ? fmt::format("{} ×", digits(low)) : fmt::format("{}–{} ×", digits(low), digits(high));
  }
  std::string place(const Row& row) const {
    if (cell(row, "file") == kUnknown) return "";
    const std::string file = shorter_path(text(row, "file"), style_.directory);
    return cell(row, "line") == kUnknown ? "  " + file : fmt::format("  {}:{}", file, text(row, "line"));
  }
  std::string wrapped(const std::string& sentence, const std::string& indent) const {
    std::string out = indent;
    std::size_t used = indent.size();
    for (std::size_t at = 0; at < sentence.size();) {
      const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
      const std::string word = sentence.substr(at, end - at);
      const std::size_t width = screen_width(word);
      if (used > indent.size() && used + 1 + width > width_) {
        out += "\n" + indent;
        used = indent.size();
      }
      if (used > indent.size()) {
        out += ' ';
        ++used;
      }
      out += word;
      used += width;
      at = end + 1;
    }
    return out + "\n";
  }
  std::string paint(const char* code, const std::string& text) const { return style_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text; }

  const Table& table_;
  const TerminalStyle& style_;
  std::size_t width_;
};

}  // namespace

std::string advice_text(const Table& table, const TerminalStyle& style) { return AdviceText(table, style).print(); }

}  // namespace laptime
