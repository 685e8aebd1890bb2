// Tables for people: aligned, with humane units, names shortened to fit, long ones in any case. Computes nothing: what it prints is what the
// Table holds.
#pragma once

#include <string>
#include <vector>

#include "analyze/table.h"

namespace laptime {

struct TerminalStyle {
  std::size_t width = 0;  // columns; 0: as wide as it gets
  bool colour = false;
  bool compact = false;  // a table's title stands in its header line, and no line is empty
  std::string directory = {};  // files below it, and near it, are shown relative to it where that is shorter
};

// For what goes to `fd`: colour only on a terminal and unless NO_COLOR is set; the width from COLUMNS, else the
// terminal's own.
TerminalStyle style_for(int fd);

std::string to_terminal(const std::vector<Table>& tables, const TerminalStyle& style);

}  // namespace laptime
