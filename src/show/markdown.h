// Tables as Markdown, for a pull request: a heading for each table, humane units, numbers aligned
// to the right.
#pragma once

#include <string>
#include <vector>

#include "tables/run/table.h"

namespace laptime {

std::string to_markdown(const std::vector<Table>& tables);

}  // namespace laptime
