// Tables as JSON: {"laptime": VERSION, "tables": [{"name", "title", "columns": [{"name", "type",
// "unit"}], "rows"}]}. Unknown cells and numbers that are not finite are null. Texts are always
// valid UTF-8.
#pragma once

#include <string>
#include <vector>

#include "tables/run/table.h"

namespace laptime {

std::string to_json(const std::vector<Table>& tables);

}  // namespace laptime
