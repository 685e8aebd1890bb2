// Text on a terminal: how wide it is, and how to make it narrower.
#pragma once

#include <string>
#include <string_view>

namespace laptime {

// Valid UTF-8 without control characters, but for those in `allowed`: no name can move the cursor
// or change colours. U+FFFD stands for each. All output that is not JSON or another tool's format
// goes through this.
std::string printable(std::string_view text, std::string_view allowed = {});

// Columns that `text` takes: 2 for East Asian wide characters and emoji, 0 for combining marks.
std::size_t screen_width(std::string_view text);

// At most `width` columns, with "…" in place of the middle where it was longer: both ends of a name
// tell it apart.
std::string shorten_middle(std::string_view text, std::size_t width);

// The text in lines of at most `width` columns, each with the indentation and a line end. Words
// stay whole.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indentation = {});

// A file's path as seen from a folder, where that is shorter; both absolute.
std::string shorter_path(std::string_view path, std::string_view folder);

}  // namespace laptime
