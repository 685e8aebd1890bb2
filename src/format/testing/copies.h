// For tests, which describe a copy or fill by its name in a viewer.
#pragma once

#include <optional>
#include <string_view>

#include "format/copy_info.h"

namespace laptime {

// Empty if the name is neither a copy's nor a fill's.
inline std::optional<CopyInfo> copy_named(std::string_view name) {
  if (!name.starts_with("Mem")) return std::nullopt;
  for (std::uint64_t target = 0; target < 8; ++target) {
    if (name == fill_name(memory_kind(target))) return CopyInfo{.target = memory_kind(target)};
    for (std::uint64_t source = 0; source < 8; ++source)
      for (std::uint64_t direction = 0; direction < 11; ++direction)
        for (const bool blocking : {false, true}) {
          const CopyInfo copy{copy_direction(direction), memory_kind(source), memory_kind(target),
                              blocking};
          if (name == copy_name(copy) + (blocking ? " blocking" : "")) return copy;
        }
  }
  return std::nullopt;
}

}  // namespace laptime
