// From when on it is known what a GPU does, where recording rests and begins again.
//
// When recording begins, the GPU may still be busy with what was launched before, of which there is
// no record. It shows in what a stream is given first: that was launched and did not begin, though
// nothing that is recorded ran. Consequence: until then the device looks idle and is not.
// Assumption: an idle stream begins with what it is given within kIdleLatency.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "trace/run/covered.h"
#include "trace/run/intervals.h"

namespace laptime {

inline constexpr std::int64_t kIdleLatency = 20'000;  // on an H200 up to 8 µs

class DeviceKnown {
 public:
  // `left_out`: what of the device's process was not recorded (recorded_part.h); outlives this.
  explicit DeviceKnown(const Intervals& left_out) : left_out_(&left_out) {}

  struct Queued {
    std::int64_t called_ns, launched_ns, start_ns;  // launched_ns: from when on it could begin
  };
  void add(std::uint32_t stream, const Queued& work);
  // To be called when all work was added; `busy`: when any of it ran.
  void finish(const Covered& busy);

  // When recording began that goes on at `time`; INT64_MIN: with the run.
  std::int64_t recorded_since(std::int64_t time) const;
  // Whether it is known what the device does from `time` on.
  bool knows(std::int64_t time) const;

 private:
  // How many intervals that were left out came before.
  std::size_t rests_before(std::int64_t time) const;

  const Intervals* left_out_;
  std::map<std::pair<std::size_t, std::uint32_t>, Queued> first_;  // by rests before it, and stream
  std::map<std::size_t, std::int64_t> known_from_;                 // by rests before it
};

}  // namespace laptime
