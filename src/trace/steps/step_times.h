// The step that a tally belongs to, and typical times over the steps of a run.
//
// Assumption: tallies number the steps of a process in the order of their ends. Tallies after the
// last step belong to no step.
// Steps of one process and phase are a group. Warmup and compiling steps of a group are kept apart.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/steps/steps.h"

namespace laptime {

inline constexpr std::uint32_t kNoStep = ~0u;

class StepIndex {
 public:
  StepIndex(const Run& run, const std::vector<Step>& steps);

  bool empty() const { return places_.empty(); }
  // Returns a number over all processes, or kNoStep.
  std::uint32_t find(std::uint32_t process, std::uint32_t step) const;
  bool is_warmup(std::uint32_t place) const { return places_[place].warmup; }
  std::uint32_t group(std::uint32_t place) const { return places_[place].group; }
  // The step's index in Analysis::steps.
  std::uint32_t step(std::uint32_t place) const { return places_[place].step; }
  // The number of the group's steps that are not warmup.
  std::uint32_t warm_steps(std::uint32_t group) const { return warm_steps_[group]; }

 private:
  struct Place {
    std::uint32_t step, group;
    bool warmup;
  };
  std::vector<std::uint32_t> first_;  // by process: its first row in places_; one more at the end
  std::vector<Place> places_;
  std::vector<std::uint32_t> warm_steps_;  // by group
};

// The times of one line, function or call, by step.
class StepTimes {
 public:
  void add(std::uint32_t place, std::uint64_t ns) { times_.push_back({place, ns}); }

  struct Summary {
    // Over all warm steps of the groups in which it occurs in a warm step.
    std::optional<std::int64_t> p50_ns, p95_ns;
    std::int64_t warmup_ns = 0;
  };
  // Steps in which it does not occur count as 0. Reorders what was added.
  Summary summarize(const StepIndex& index);

 private:
  struct Time {
    std::uint32_t place;
    std::uint64_t ns;
  };
  std::vector<Time> times_;
};

}  // namespace laptime
