// Which step a tally belongs to, and what is typical over the steps of a run.
//
// Assumption: tallies name steps by number, counted over a process in the order in which its steps
// ended. What came after the last step belongs to none. Steps of one process and phase are a group;
// a group's warmup, and its steps that compile, are kept apart.
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
  // A number over all processes, or kNoStep.
  std::uint32_t find(std::uint32_t process, std::uint32_t step) const;
  bool is_warmup(std::uint32_t place) const { return places_[place].warmup; }
  std::uint32_t group(std::uint32_t place) const { return places_[place].group; }
  // The step's place in Analysis::steps.
  std::uint32_t step(std::uint32_t place) const { return places_[place].step; }
  // How many steps of the group are not warmup.
  std::uint32_t warm_steps(std::uint32_t group) const { return warm_steps_[group]; }

 private:
  struct Place {
    std::uint32_t step, group;
    bool warmup;
  };
  std::vector<std::uint32_t> first_;  // by process, and one more: where its steps begin in places_
  std::vector<Place> places_;
  std::vector<std::uint32_t> warm_steps_;  // by group
};

// The times of one thing, step by step.
class StepTimes {
 public:
  void add(std::uint32_t place, std::uint64_t ns) { times_.push_back({place, ns}); }

  struct Summary {
    std::optional<std::int64_t> p50_ns,
        p95_ns;  // over all warm steps of the groups where it occurred in a warm one
    std::int64_t warmup_ns = 0;
  };
  // Steps in which it did not occur count as 0. Reorders what was added.
  Summary summarize(const StepIndex& index);

 private:
  struct Time {
    std::uint32_t place;
    std::uint64_t ns;
  };
  std::vector<Time> times_;
};

}  // namespace laptime
