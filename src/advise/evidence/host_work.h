// Times of ops and lines within the steps of the main phase, on the stepping thread.
//
// Assumption: tallies number the steps of a process in the order of their ends
// (trace/steps/step_times.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "advise/evidence/main_phase.h"
#include "trace/analysis.h"

namespace laptime {

// Ops of the recorded steps with the same name, line and optimizer call around them.
struct StepOp {
  std::string name;
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  std::string within;  // "Optimizer.zero_grad#SGD.zero_grad"; empty: no optimizer call
  bool backward = false;
  bool of_call = false;  // within a wait for input, or a call of a compiled function
  double calls = 0, self_ns = 0, total_ns = 0;  // per recorded step
  double fast_ns = 0;  // self_ns if all calls were as fast as the fastest tenth
};

std::vector<StepOp> ops_in_steps(const Analysis& analysis, const MainPhase& main_phase);

// A line of the program's own code.
struct StepLine {
  std::string file, function;
  std::uint32_t line = 0, first_line = 0;  // the function's
  double hits = 0;                         // per step
  Part time, self;  // per mean step: all, and without the timed functions that it called
};

// By falling time.
std::vector<StepLine> lines_in_steps(const Analysis& analysis, const MainPhase& main_phase);

// Times by line of some tracks, over the whole run. hits and times are totals. For loader workers,
// whose lines belong to no step.
std::vector<StepLine> lines_of_tracks(const Run& run, const std::vector<std::uint32_t>& tracks);

}  // namespace laptime
