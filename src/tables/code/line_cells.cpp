#include "tables/code/line_cells.h"

#include <string>

namespace laptime {

Cell file_cell(const LineIds& lines, std::uint32_t id) {
  return id == 0 ? kUnknown : Cell(std::string(lines.file(id)));
}
Cell line_cell(const LineIds& lines, std::uint32_t id) {
  return id == 0 ? kUnknown : integer_cell(lines.line(id));
}

}  // namespace laptime
