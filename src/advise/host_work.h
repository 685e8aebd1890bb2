// What each line of the program's own code took within the steps of a lap, on the thread that
// steps.
//
// Assumption: tallies name steps by number, counted over a process in the order in which its steps
// ended (analyze/step_times.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/lap.h"
#include "trace/analysis.h"

namespace laptime {

struct StepLine {
  std::string file, function;
  std::uint32_t line = 0, first_line = 0;  // the function's
  double hits = 0;                         // a step
  Part time, self;  // of a mean step: all, and without timed functions that the line called
};

// Those that took longest first.
std::vector<StepLine> lines_in_steps(const Analysis& analysis, const Lap& lap);

// Time by line of the tracks given, over the whole run; hits and times are totals. For loader
// workers, whose lines belong to no step.
std::vector<StepLine> lines_of_tracks(const Run& run, const std::vector<std::uint32_t>& tracks);

}  // namespace laptime
