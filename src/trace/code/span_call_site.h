// The line that a span was recorded at: its own argument, not what attribution.h makes of it.
#pragma once

#include <cstdint>

#include "trace/run/run.h"

namespace laptime {

// Run::call sites; 0: none was recorded.
inline std::uint32_t recorded_call_site(const Spans& spans, std::uint32_t row) {
  return spans.call_site.value_or(row, 0);
}

}  // namespace laptime
