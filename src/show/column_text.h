// What people read above and in a column, on the screen and in Markdown.
#pragma once

#include <string>

#include "tables/run/table.h"

namespace laptime {

// "steps_per_s" is "steps/s" above its numbers; all other units are said in each cell, so the
// header need not.
std::string header_of(const Column& column);
// What the cell's number means there, for humane_cell.
Unit unit_of(const Table& table, const Column& column, const Row& row);

// A column that no row knows anything of (GPU time on a machine without one) only costs width; JSON
// and CSV keep it.
bool is_unknown_throughout(const Table& table, std::size_t column);

}  // namespace laptime
