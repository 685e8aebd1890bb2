// Tables as CSV (RFC 4180): a header line of column names, then the rows. Unknown cells are empty.
// An empty line separates tables.
#pragma once

#include <string>
#include <vector>

#include "tables/run/table.h"

namespace laptime {

std::string to_csv(const std::vector<Table>& tables);

}  // namespace laptime
