// Makes untrusted text safe to print. Names in a run are bytes that a program chose: they may be
// invalid UTF-8, or contain commands for a terminal.
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
// The code point at the start of `text`, which is not empty. Overlong forms, surrogates and
// truncated sequences are invalid; then one byte is taken.
CodePoint first_code_point(std::string_view text);

// Valid UTF-8: each invalid byte becomes U+FFFD.
std::string make_valid_utf8(std::string_view text);

// Appends `text` as a JSON string with its quotes; always valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

}  // namespace laptime
