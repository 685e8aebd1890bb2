// Text on a terminal: how wide it is, and how to make it narrower.
#pragma once

#include <string>
#include <string_view>

namespace laptime {

// Returns valid UTF-8 without control characters, except those in `allowed`; U+FFFD replaces each.
// So no name can move the cursor or change colours. All output except JSON and other tools' formats
// passes through here.
std::string printable(std::string_view text, std::string_view allowed = {});

// The width of `text` in columns: 2 for East Asian wide characters and emoji, 0 for combining
// marks.
std::size_t screen_width(std::string_view text);

// Shortens a text to `width` columns, with "…" in place of its middle. Both ends of a name identify
// it.
std::string shorten_middle(std::string_view text, std::size_t width);

// Wraps a text to lines of at most `width` columns, each with the indentation and a line end. Words
// are not split.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indentation = {});

// A file's path relative to a folder, if that is shorter. Contract: both are absolute.
std::string shorter_path(std::string_view path, std::string_view folder);

}  // namespace laptime
