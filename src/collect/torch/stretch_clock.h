// Switches sources on and off by the clock, in a program that makes no steps. A thread of its own does: the program's threads are asked for nothing, and
// one that waits, holds the GIL or traces its own code changes nothing.
//
// One a process, and one at a time. A forked child has none: its parent's thread does not live there, and nothing is switched while a process forks.
// Contract: a source may be switched on any thread, also twice; it needs neither the GIL nor what a thread of the program may hold while it forks or exits. What it
// locks has its fork handlers in place before the first clock starts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "collect/torch/stretch_budget.h"

namespace laptime::torch {

struct ClockedSource {
  std::function<void()> on;  // called at each turn while on: a source may have to wait for what it records
  std::function<void()> off;
  std::function<std::uint64_t()> events;  // so far
};

struct StretchPlan {
  std::vector<ClockedSource> sources;  // switched on in this order, off in the other
  StretchBudget budget;                // in ticks
  double event_ticks;                  // what an event costs
  std::chrono::nanoseconds period;
  std::function<std::uint64_t()> others = [] { return std::uint64_t{0}; };  // ticks that others have spent of the budget so far
};

// While the plan runs, the value of this name says what holds from there on (analyze/recorded_part.h).
inline constexpr const char* kStretchValue = "ops recorded";
inline constexpr double kRecorded = 1, kResting = 0, kEnded = -1;

struct StretchSums {
  double spent = 0;  // ticks that recording added
  bool recorded = false, rested = false;
};

// False: one runs already, or no thread can be had.
bool start_stretches(StretchPlan plan);
// All sources are off when this returns. None: nothing runs, in this process.
std::optional<StretchSums> stop_stretches();

}  // namespace laptime::torch
