// The steps that advice covers: training steps if there are any, else those of the phase that took
// longest. Of several threads, the one that spent most time in them. Of several ranks, the one with
// most own work, for which the others wait. Only steps that count (steps.h) are included, and they
// are divided as in the breakdown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/evidence/gain.h"
#include "advise/evidence/step_list.h"
#include "trace/analysis.h"
#include "trace/time/host_time.h"
#include "trace/time/main_phase.h"
#include "trace/time/mean_step.h"

namespace laptime {

class MainPhase {
 public:
  // The analysis outlives this object.
  explicit MainPhase(const Analysis& analysis);
  // The steps of one thread and phase.
  MainPhase(const Analysis& analysis, PhaseKey key);

  bool empty() const { return steps_.empty(); }
  std::uint32_t track() const { return key_.track; }
  std::uint32_t phase() const { return key_.phase; }
  // Whether the step belongs to the main phase and counts.
  bool has(const Step& step) const { return phase_of(step) == key_ && step.counts; }
  // In order. They refer to the analysis.
  StepList steps() const { return StepList(steps_); }
  std::size_t recorded() const { return mean_.steps_with_ops; }  // the steps with known ops
  double step_ns() const { return mean_.wall_ns; }
  double total_ns() const { return step_ns() * static_cast<double>(steps_.size()); }
  // Exposed time per mean step, as in the breakdown.
  Part part(HostCategory category) const;

 private:
  PhaseKey key_;
  HostSteps steps_;
  MeanStep mean_;
};

}  // namespace laptime
