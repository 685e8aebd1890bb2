// Text that may come from anywhere, made safe to print. Names in a run are bytes that a program
// chose: they may be no UTF-8 at all, or hold what would command a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace laptime {

struct CodePoint {
  char32_t value;      // U+FFFD for bytes that are not UTF-8
  std::size_t length;  // in bytes, at least 1
  bool valid;
};
// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and cut
// sequences are not valid; then one byte is taken.
CodePoint first_code_point(std::string_view text);

// Valid UTF-8: bytes that are not become U+FFFD each.
std::string make_valid_utf8(std::string_view text);

// Appends `text` as a JSON string with its quotes; always valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace laptime
