// The layout of text for a terminal, a pipe or a file.
#pragma once

#include <cstddef>
#include <string>

namespace laptime {

struct TerminalStyle {
  std::size_t width = 0;  // columns; 0: unlimited
  bool colour = false;
  bool compact = false;  // a table's title is in its header line, and no line is empty
  // Files below or near this folder are shown relative to it if that is shorter.
  std::string directory = {};
};

// For output to `fd`. Colour only on a terminal, and not if NO_COLOR is set. The width is COLUMNS,
// else the terminal's.
TerminalStyle style_for(int fd);

}  // namespace laptime
