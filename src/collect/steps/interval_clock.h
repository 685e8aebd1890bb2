// Switches sources on and off by the clock, in a program that makes no steps: not yet, no longer,
// or never. It has its own thread, so it needs nothing of the program's threads. They may wait,
// hold the GIL or trace their own code.
//
// From the end of the first step, steps decide and the clock only watches. When no step has ended
// for a while, the clock switches off what the steps left on. It then decides until the next step
// ends. The while is counted in turns of the clock, because a stopped process (under a debugger,
// for example) makes none.
//
// There is at most one clock in a process. A forked child has none, because its parent's thread
// does not exist there. Nothing is switched during a fork.
//
// Contract: a source may be switched on any thread, also twice. It needs neither the GIL nor a lock
// that a thread of the program may hold while it forks or exits. Its fork handlers for its own
// locks are registered before the first clock starts.
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
  std::vector<ClockedSource> sources;  // switched on in this order, off in reverse
  IntervalBudget budget;               // in ticks
  double event_ticks;                  // what an event costs
  std::chrono::nanoseconds period;
  std::function<std::uint64_t()> others = [] {
    return std::uint64_t{0};
  };  // ticks that others have spent of the budget so far
  std::vector<std::function<void()>> only_steps_switch_on = {};  // how to switch each of these off
  // record nothing before the first interval, so a process that ends by then leaves no trace
  bool leaves_no_trace = false;
  // Turns, and at least kQuietSteps median steps, without a step's end until the clock decides
  // again.
  unsigned quiet_turns = 12;
};

// While the clock decides, the value kOpsRecorded (format/names.h) says what holds from there on
// (trace/steps/recorded_part.h). Where it took over, that is from the last step's end on: what
// steps had left on until then is its first interval.
inline constexpr double kRecorded = 1, kResting = 0, kEnded = -1;

inline constexpr unsigned kQuietSteps = 4;

struct IntervalSums {
  double spent = 0;  // ticks that recording added
  bool recorded = false, rested = false;
  unsigned took_over = 0;  // how often the clock took over from steps
};

// False: one runs already, or no thread could be started.
bool start_intervals(IntervalPlan plan);
// HOT, unless the clock decides. Ends a step; steps decide from now on. Returns true if the clock
// decided for all of that step or its last part. Then all sources are off.
bool end_step();
// Reports whether sources are on until the next step ends. Contract: steps decide.
void steps_record(bool on);
// Switches off what the clock has on, before it returns. Empty if no clock runs in this process.
std::optional<IntervalSums> stop_intervals();

}  // namespace laptime::steps
