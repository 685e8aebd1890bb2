// The warnings of a run by name, for unit tests.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/reader.h"

namespace laptime {

inline std::uint64_t warning_of(const RunContent& run, std::string_view name) {
  for (const WarningCount& warning : run.warnings)
    if (warning.name == name) return warning.count;
  return 0;
}

}  // namespace laptime
