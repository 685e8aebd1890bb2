#include "base/utf8.h"

#include <fmt/format.h>
#include <iterator>

namespace laptime {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr char32_t kReplacementValue = 0xFFFD;

// The length of a sequence in bytes, from its first byte. 0 if no sequence begins with it.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

bool is_allowed(char32_t c, std::size_t length) {
  if (length == 3) return c >= 0x800 && !(c >= 0xD800 && c <= 0xDFFF);
  if (length == 4) return c >= 0x10000 && c <= 0x10FFFF;
  return true;
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7f)
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
  else
    out += c;
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || length > text.size()) return {kReplacementValue, 1, false};
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {kReplacementValue, 1, false};
    value = value << 6 | (byte & 0x3Fu);
  }
  if (!is_allowed(value, length)) return {kReplacementValue, 1, false};
  return {value, length, true};
}

std::string make_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    out += c.valid ? text.substr(0, c.length) : kReplacement;
    text.remove_prefix(c.length);
  }
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.length == 1 && c.valid)
      append_escaped(out, text[0]);
    else
      out += c.valid ? text.substr(0, c.length) : kReplacement;
    text.remove_prefix(c.length);
  }
  out += '"';
}

}  // namespace laptime
