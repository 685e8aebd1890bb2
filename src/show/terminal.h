// Tables for people: aligned, with humane units, and names shortened to fit. It computes nothing:
// it prints what the Table holds.
#pragma once

#include <string>
#include <vector>

#include "show/terminal_style.h"
#include "tables/run/table.h"

namespace laptime {

std::string to_terminal(const std::vector<Table>& tables, const TerminalStyle& style);

}  // namespace laptime
