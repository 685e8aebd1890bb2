// Tables as CSV (RFC 4180): a header line of column names, then the rows; unknown cells are empty.
// Several tables are parted by an empty line.
#pragma once

#include <string>
#include <vector>

#include "tables/run/table.h"

namespace laptime {

std::string to_csv(const std::vector<Table>& tables);

}  // namespace laptime
