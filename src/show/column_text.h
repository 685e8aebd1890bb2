// The header and the cells of a column, on the screen and in Markdown.
#pragma once

#include <string>

#include "tables/run/table.h"

namespace laptime {

// "steps_per_s" has the header "steps/s". All other units are in the cells, not in the header.
std::string header_of(const Column& column);
// The unit of the cell's number, for humane_cell.
Unit unit_of(const Table& table, const Column& column, const Row& row);

// A column without a known value, such as GPU time on a machine without a GPU. Only JSON and CSV
// show it.
bool is_unknown_throughout(const Table& table, std::size_t column);

}  // namespace laptime
