// How tables show a line: as a file and a number, both unknown for the unknown line.
#pragma once

#include <cstdint>

#include "tables/run/table.h"
#include "trace/code/line_ids.h"

namespace laptime {

Cell file_cell(const LineIds& lines, std::uint32_t id);
Cell line_cell(const LineIds& lines, std::uint32_t id);

}  // namespace laptime
