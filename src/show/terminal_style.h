// How text is laid out for a terminal, a pipe or a file.
#pragma once

#include <cstddef>
#include <string>

namespace laptime {

struct TerminalStyle {
  std::size_t width = 0;  // columns; 0: as wide as it gets
  bool colour = false;
  bool compact = false;  // a table's title stands in its header line, and no line is empty
  std::string directory =
      {};  // files below it, and near it, are shown relative to it where that is shorter
};

// For what goes to `fd`: colour only on a terminal and unless NO_COLOR is set; the width from
// COLUMNS, else the terminal's own.
TerminalStyle style_for(int fd);

}  // namespace laptime
