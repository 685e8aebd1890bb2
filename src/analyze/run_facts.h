// Table `run`: what was run, how it ended, how much was recorded and what recording it cost. Always the same keys;
// unknown where no part of the run says.
//
// Own cost is what the recorder itself knows: records times the measured cost of storing one, and the CPU time of its
// background threads. The share is of the run's duration.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

// Nanoseconds; nothing when no process counted its records.
std::optional<double> own_cost_ns(const Run& run);

// The folder that the program was started in; empty when unknown.
std::string run_directory(const Run& run);

Table run_table(const Analysis& analysis);

}  // namespace laptime
