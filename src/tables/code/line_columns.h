// The columns of a line: file and number. Both are unknown for the unknown line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/code/line_ids.h"
#include "trace/run/run.h"

namespace laptime {

inline std::optional<std::string_view> file_at(const LineIds& lines, std::uint32_t id) {
  if (id == 0) return std::nullopt;
  return lines.file(id);
}
inline std::optional<std::uint32_t> line_at(const LineIds& lines, std::uint32_t id) {
  if (id == 0) return std::nullopt;
  return lines.line(id);
}
// A string of the run. Unknown for id 0.
inline std::optional<std::string_view> string_at(const Run& run, std::uint32_t id) {
  if (id == 0) return std::nullopt;
  return run.strings[id];
}

}  // namespace laptime
