// Switches sources on and off by the clock, in a program that makes no steps, or none yet, or none
// any more. A thread of its own does: the program's threads are asked for nothing, and one that
// waits, holds the GIL or traces its own code changes nothing.
//
// Steps decide from the first one's end on, and the clock only listens. When none has ended for a
// while it switches off what they left on, and decides until the next one ends. The while is
// counted in turns of the clock: a process that is stopped (by a debugger, say) makes none.
//
// One a process, and one at a time. A forked child has none: its parent's thread does not live
// there, and nothing is switched while a process forks. Contract: a source may be switched on any
// thread, also twice; it needs neither the GIL nor what a thread of the program may hold while it
// forks or exits. What it locks has its fork handlers in place before the first clock starts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "collect/steps/interval_budget.h"

namespace laptime::steps {

struct ClockedSource {
  std::function<void()>
      on;  // called at each turn while on: a source may have to wait for what it records
  std::function<void()> off;
  std::function<std::uint64_t()> events;  // so far
};

struct IntervalPlan {
  std::vector<ClockedSource> sources;  // switched on in this order, off in the other
  IntervalBudget budget;               // in ticks
  double event_ticks;                  // what an event costs
  std::chrono::nanoseconds period;
  std::function<std::uint64_t()> others = [] {
    return std::uint64_t{0};
  };  // ticks that others have spent of the budget so far
  std::vector<std::function<void()>> only_steps_switch_on = {};  // how each is switched off
  bool leaves_no_trace = false;  // before the first interval begins: a process that is over by then
                                 // has recorded nothing
  unsigned quiet_turns =
      12;  // and kQuietSteps median steps, without a step's end, until the clock decides again
};

// While the clock decides, the value of this name says what holds from there on
// (analyze/recorded_part.h). Where it took over, that is from the last step's end on: what steps
// had left on until then is its first interval.
inline constexpr const char* kIntervalValue = "ops recorded";
inline constexpr double kRecorded = 1, kResting = 0, kEnded = -1;

inline constexpr unsigned kQuietSteps = 4;

struct IntervalSums {
  double spent = 0;  // ticks that recording added
  bool recorded = false, rested = false;
  unsigned took_over = 0;  // how often no step had ended for a while
};

// False: one runs already, or no thread can be had.
bool start_intervals(IntervalPlan plan);
// HOT, but where the clock decides. A step ends, and steps decide from here on. True: the clock
// decided, for all or the last part of that step; all sources are off.
bool end_step();
// Whether steps have the sources on until the next one ends. Contract: steps decide.
void steps_record(bool on);
// What the clock has on is off when this returns. None: nothing runs, in this process.
std::optional<IntervalSums> stop_intervals();

}  // namespace laptime::steps
