#include "show/advice_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "show/humane_cell.h"
#include "show/screen_text.h"

namespace laptime {

namespace {

constexpr std::size_t kWidest = 120, kNarrowest = 40;
constexpr const char* kIndent = "    ";

// "1.40 × (1.27–1.54, at most 1.60)". Empty for a risk.
std::string gain_text(const Table& advice, const Row& row) {
  const auto number = [&](const char* column) {
    const auto at = find_column(advice, column);
    return at ? std::get_if<double>(&row[*at]) : nullptr;
  };
  const auto digits = [](double gain) {
    return gain < 10 ? fmt::format("{:.2f}", gain) : fmt::format("{:.0f}", gain);
  };
  const double *gain = number("gain"), *low = number("gain_low"), *high = number("gain_high"),
               *bound = number("gain_bound");
  if (!gain || !low || !high) return "";
  std::string interval =
      digits(*low) == digits(*high) ? "" : fmt::format("{}–{}", digits(*low), digits(*high));
  if (bound && digits(*bound) != digits(*high))
    interval += fmt::format("{}at most {}", interval.empty() ? "" : ", ", digits(*bound));
  return fmt::format("{} ×{}", digits(*gain),
                     interval.empty() ? "" : fmt::format(" ({})", interval));
}

class AdviceText {
 public:
  AdviceText(const Table& table, const TerminalStyle& style)
      : table_(table),
        style_(style),
        width_(std::clamp(style.width == 0 ? kWidest : style.width, kNarrowest, kWidest)) {}

  std::string print() const {
    std::string out = paint("1", printable(table_.title)) + "\n";
    if (table_.rows.empty()) return out + "  none\n";
    bool changed = false;
    for (const Row& row : table_.rows) {
      if (!std::exchange(changed, text(row, "meaning") == "changed") && changed)
        out += paint("1", "  Changes what is trained: check the loss") + "\n";
      out += fmt::format("  {}{}\n", paint("1", headline(row)), place(row));
      out += wrapped(text(row, "message") + unbounded(row), width_, kIndent);
      out += wrapped("→ " + text(row, "fix"), width_, kIndent);
    }
    return out;
  }

 private:
  const Cell& cell(const Row& row, std::string_view column) const {
    const auto index = find_column(table_, column);
    return index ? row[*index] : kUnknown;
  }
  std::string text(const Row& row, std::string_view column) const {
    return printable(humane_cell(cell(row, column), Unit::none));
  }

  // "1.40 × (1.27–1.54, at most 1.60)  no-workers (medium)". A risk has no gain.
  std::string headline(const Row& row) const {
    const std::string gain = gain_text(table_, row);
    return fmt::format("{}{}{} ({})", gain, gain.empty() ? "" : "  ", text(row, "rule"),
                       text(row, "confidence"));
  }
  std::string unbounded(const Row& row) const {
    return cell(row, "also_faster") == kUnknown
               ? ""
               : fmt::format(" It may bring more than that: {}.", text(row, "also_faster"));
  }
  std::string place(const Row& row) const {
    if (cell(row, "file") == kUnknown) return "";
    const std::string file = shorter_path(text(row, "file"), style_.directory);
    return cell(row, "line") == kUnknown ? "  " + file
                                         : fmt::format("  {}:{}", file, text(row, "line"));
  }
  std::string paint(const char* code, const std::string& text) const {
    return style_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  const Table& table_;
  const TerminalStyle& style_;
  std::size_t width_;
};

}  // namespace

std::string advice_text(const Table& table, const TerminalStyle& style) {
  return AdviceText(table, style).print();
}

}  // namespace laptime
