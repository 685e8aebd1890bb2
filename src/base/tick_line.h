// Turns real-time nanoseconds into ticks, between two moments that were read on both clocks.
#pragma once

#include <cstdint>

namespace laptime {

class TickLine {
 public:
  struct Moment {
    std::uint64_t ticks, realtime_ns;
  };

  TickLine(Moment from, Moment to)
      : from_(from),
        rate_(to.realtime_ns > from.realtime_ns
                  ? static_cast<double>(to.ticks - from.ticks) /
                        static_cast<double>(to.realtime_ns - from.realtime_ns)
                  : 1.0) {}

  std::uint64_t at(std::uint64_t realtime_ns) const {
    return after(static_cast<std::int64_t>(realtime_ns - from_.realtime_ns));
  }
  // `ns` after the first moment.
  std::uint64_t after(std::int64_t ns) const {
    return from_.ticks +
           static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<double>(ns) * rate_));
  }

 private:
  Moment from_;
  double rate_;
};

}  // namespace laptime
