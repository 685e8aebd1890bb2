// Table `run`: what was run, how it ended, how much was recorded and what recording it cost. Always
// the same keys; unknown where no part of the run says. own_cost and what follows: run_cost.h.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"
#include "trace/run/run.h"

namespace laptime {

// The folder that the program was started in; empty when unknown.
std::string run_directory(const Run& run);

Table run_table(const Analysis& analysis);
extern const TableDefinition kRunTable;

}  // namespace laptime
