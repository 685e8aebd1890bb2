// A table's cell as people read it.
#pragma once

#include <string>

#include "tables/run/table.h"

namespace laptime {

// A cell of a column with that unit; "-" when unknown. Texts are as they are.
std::string humane_cell(const Cell& cell, Unit unit);

}  // namespace laptime
