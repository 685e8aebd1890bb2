// The steps that advice is about: those of training where there are any, else of the phase that
// took longest; of one thread, the one that spent most time in them. Of several ranks it is the one
// with most work of its own, for which the others wait. They are the steps that count (steps.h),
// divided as the breakdown divides them.
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
  // The analysis outlives it.
  explicit MainPhase(const Analysis& analysis);
  // The steps of one thread and phase.
  MainPhase(const Analysis& analysis, PhaseKey key);

  bool empty() const { return steps_.empty(); }
  std::uint32_t track() const { return key_.track; }
  std::uint32_t phase() const { return key_.phase; }
  // Whether the step is one of the main phase's.
  bool has(const Step& step) const { return phase_of(step) == key_ && step.counts; }
  // In their order; they are the analysis's.
  StepList steps() const { return StepList(steps_); }
  std::size_t recorded() const {
    return mean_.steps_with_ops;
  }  // those of them whose ops are known
  double step_ns() const { return mean_.wall_ns; }
  double total_ns() const { return step_ns() * static_cast<double>(steps_.size()); }
  // Exposed time of a mean step, as the breakdown has it.
  Part part(HostCategory category) const;

 private:
  PhaseKey key_;
  HostSteps steps_;
  MeanStep mean_;
};

}  // namespace laptime
