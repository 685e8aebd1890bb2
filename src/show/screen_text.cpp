#include "show/screen_text.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/utf8.h"

namespace laptime {

namespace {

constexpr std::string_view kEllipsis = "…";

bool is_control(char32_t c) {
  // C0, DEL, C1, and the marks that reverse the direction of text.
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::size_t width_of(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range kCombining[] = {
      {0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
  static constexpr Range kWide[] = {
      {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},
      {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
  const auto within = [c](const Range& r) { return c >= r.first && c <= r.last; };
  if (std::any_of(std::begin(kCombining), std::end(kCombining), within)) return 0;
  return std::any_of(std::begin(kWide), std::end(kWide), within) ? 2 : 1;
}

// The longest beginning that fits.
std::string_view head(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const CodePoint c = first_code_point(text.substr(at));
    used += width_of(c.value);
    if (used > width) break;
    at += c.length;
  }
  return text.substr(0, at);
}

// The longest end that fits.
std::string_view tail(std::string_view text, std::size_t width) {
  std::size_t left = screen_width(text), at = 0;
  while (at < text.size() && left > width) {
    const CodePoint c = first_code_point(text.substr(at));
    left -= width_of(c.value);
    at += c.length;
  }
  return text.substr(at);
}

}  // namespace

std::string printable(std::string_view text, std::string_view allowed) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    const bool is_safe =
        !is_control(c.value) || (c.length == 1 && allowed.find(text[0]) != std::string_view::npos);
    out += c.valid && is_safe ? text.substr(0, c.length) : std::string_view("\uFFFD");
    text.remove_prefix(c.length);
  }
  return out;
}

std::size_t screen_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    width += width_of(c.value);
    text.remove_prefix(c.length);
  }
  return width;
}

std::string shorten_middle(std::string_view text, std::size_t width) {
  if (screen_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  const std::size_t ends = width - 1;
  return std::string(head(text, ends / 2)) + std::string(kEllipsis) +
         std::string(tail(text, ends - ends / 2));
}

std::string wrapped(std::string_view text, std::size_t width, std::string_view indentation) {
  std::string out(indentation);
  std::size_t used = indentation.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const bool is_first = used == indentation.size();
    const std::size_t columns = screen_width(word);
    if (!is_first && used + 1 + columns > width) {
      out.append("\n").append(indentation);
      used = indentation.size();
    } else if (!is_first) {
      out += ' ';
      ++used;
    }
    out += word;
    used += columns;
    at = end + 1;
  }
  return out + "\n";
}

std::string shorter_path(std::string_view path, std::string_view folder) {
  const std::filesystem::path whole(path), from(folder);
  if (!whole.is_absolute() || !from.is_absolute()) return std::string(path);
  const std::string relative = whole.lexically_relative(from).string();
  return !relative.empty() && relative.size() < path.size() ? relative : std::string(path);
}

}  // namespace laptime
