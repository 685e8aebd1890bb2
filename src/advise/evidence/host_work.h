// What ops and lines took within the steps of the main phase main phase, on the thread that steps.
//
// Assumption: tallies name steps by number, counted over a process in the order in which its steps
// ended (trace/steps/step_times.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/evidence/main_phase.h"
#include "trace/analysis.h"

namespace laptime {

// An op of the recorded steps, by name, line and the optimizer call around it.
struct StepOp {
  std::string name;
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  std::string within;  // "Optimizer.zero_grad#SGD.zero_grad"; empty: no optimizer's
  bool backward = false;
  double calls = 0, self_ns = 0, total_ns = 0;  // a recorded step
  double fast_ns = 0;  // self_ns, had all its calls been as fast as its fastest tenth
};

std::vector<StepOp> ops_in_steps(const Analysis& analysis, const MainPhase& main_phase);

// A line of the program's own code.
struct StepLine {
  std::string file, function;
  std::uint32_t line = 0, first_line = 0;  // the function's
  double hits = 0;                         // a step
  Part time, self;  // of a mean step: all, and without timed functions that the line called
};

// Those that took longest first.
std::vector<StepLine> lines_in_steps(const Analysis& analysis, const MainPhase& main_phase);

// Time by line of the tracks given, over the whole run; hits and times are totals. For loader
// workers, whose lines belong to no step.
std::vector<StepLine> lines_of_tracks(const Run& run, const std::vector<std::uint32_t>& tracks);

}  // namespace laptime
