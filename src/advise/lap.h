// The steps that advice is about: those of training where there are any, else of the phase that took longest; of one thread, the one
// that spent most time in them. Of several ranks it is the one with most work of its own, for which the others wait.
//
// A step that takes as long as all of them would if they were usual, and a hundred times as long as one, is a pause (the program waits for its user, the
// machine slept): with it every other part of a mean step would be next to nothing. It is none of the lap's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/prediction.h"
#include "analyze/analysis.h"
#include "analyze/host_time.h"
#include "analyze/main_lap.h"

namespace laptime {

class Lap {
 public:
  explicit Lap(const Analysis& analysis);
  // The steps of one thread and phase.
  Lap(const Analysis& analysis, LapKey key);

  bool empty() const { return steps_.empty(); }
  std::uint32_t track() const { return steps_.front().step.track; }
  std::uint32_t phase() const { return steps_.front().step.phase; }
  // Whether the step is one of the lap's.
  bool has(const Step& step) const { return lap_of(step) == key_ && is_typical(step.kind) && static_cast<double>(step.wall_ns) <= longest_ns_; }
  // All but warmup, pauses and those that compile, in their order.
  const std::vector<HostStep>& steps() const { return steps_; }
  std::size_t recorded() const { return recorded_; }  // those of them whose ops are known
  double step_ns() const { return step_ns_; }         // mean
  double total_ns() const { return step_ns_ * static_cast<double>(steps_.size()); }
  // Exposed time of a mean step; of categories that only recorded steps know, brought to a mean step as breakdown does.
  Part part(HostCategory category) const;

 private:
  // Whether steps whose ops rested tell it, too.
  bool is_known_always(HostCategory category) const { return is_light(category, knows_gpu_); }

  LapKey key_;
  double longest_ns_;  // that is no pause
  std::vector<HostStep> steps_;
  bool knows_gpu_ = false;
  std::size_t recorded_ = 0;
  double step_ns_ = 0;
  double detail_scale_ = 0;  // from a recorded step's details to a mean step's
};

}  // namespace laptime
