// A table's cell in a form for people.
#pragma once

#include <string>

#include "tables/run/table.h"

namespace laptime {

// A cell of a column with that unit. "-" if it is unknown. Texts are unchanged.
std::string humane_cell(const Cell& cell, Unit unit);

}  // namespace laptime
