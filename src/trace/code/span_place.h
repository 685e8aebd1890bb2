// The line that a span was recorded at: its own argument, not what attribution.h makes of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/run/run.h"

namespace laptime {

// Run::places; 0: none was recorded.
inline std::uint32_t recorded_place(const Run& run, const SpanColumns& spans, std::uint32_t row) {
  const auto first =
      std::lower_bound(spans.args.row.begin(), spans.args.row.end(), row) - spans.args.row.begin();
  for (auto i = static_cast<std::size_t>(first); i < spans.args.size() && spans.args.row[i] == row;
       ++i)
    if (spans.args.key[i] == 0 && spans.args.type[i] == ArgType::place &&
        spans.args.value[i] < run.places.size())
      return static_cast<std::uint32_t>(spans.args.value[i]);
  return 0;
}

}  // namespace laptime
