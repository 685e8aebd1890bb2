// Tables for people: aligned, with humane units, names shortened to fit, long ones in any case. Computes nothing: what it prints is what the
// Table holds.
#pragma once

#include <string>
#include <vector>

#include "tables/run/table.h"
#include "show/terminal_style.h"

namespace laptime {

std::string to_terminal(const std::vector<Table>& tables, const TerminalStyle& style);

}  // namespace laptime
