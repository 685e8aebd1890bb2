// A time that a change makes longer or shorter, in whole nanoseconds.
#pragma once

#include <cmath>
#include <cstdint>

namespace laptime::replay {

inline std::int64_t scaled(std::int64_t ns, double factor) {
  return std::llround(static_cast<double>(ns) * factor);
}

}  // namespace laptime::replay
