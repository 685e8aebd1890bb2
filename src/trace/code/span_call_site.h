// The call site recorded with a span. attribution.h may assign the span another one.
#pragma once

#include <cstdint>

#include "trace/run/run.h"

namespace laptime {

// Run::call_sites; 0: none was recorded.
inline std::uint32_t recorded_call_site(const Spans& spans, std::uint32_t row) {
  return spans.call_site.value_or(row, 0);
}

}  // namespace laptime
