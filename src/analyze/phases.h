// Table `phases`: what the whole run's time went to on each thread that steps: the steps of each phase, checkpoints (taken
// off the steps in which they were made), and what lies before, between and after the steps.
//
// The rows of a thread sum to the run's duration. share is of that; mean_ns is a step's.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"

namespace laptime {

Table phases_table(const Analysis& analysis);

}  // namespace laptime
