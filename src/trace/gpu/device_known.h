// From which moment on the work of a GPU is known after recording begins again.
//
// When recording begins, the GPU may still execute work launched before, which has no record. The
// first launch on a stream shows this: its work did not begin, though no recorded work ran.
// Consequence: until then the device looks idle but is busy.
// Assumption: an idle stream begins its work within kIdleLatency.
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
  // `left_out`: when the device's process was not recorded (recorded_part.h). It outlives this
  // object.
  explicit DeviceKnown(const Intervals& left_out) : left_out_(&left_out) {}

  struct Queued {
    std::int64_t called_ns, launched_ns, start_ns;  // launched_ns: the earliest possible begin
  };
  void add(std::uint32_t stream, const Queued& work);
  // Called once, after all work was added. `busy`: when any work ran.
  void finish(const Covered& busy);

  // When the recording active at `time` began. INT64_MIN: with the run.
  std::int64_t recorded_since(std::int64_t time) const;
  // Whether the device's work is known from `time` on.
  bool knows(std::int64_t time) const;

 private:
  // The number of left-out intervals before `time`.
  std::size_t rests_before(std::int64_t time) const;

  const Intervals* left_out_;
  std::map<std::pair<std::size_t, std::uint32_t>, Queued> first_;  // by rests before it, and stream
  std::map<std::size_t, std::int64_t> known_from_;                 // by rests before it
};

}  // namespace laptime
