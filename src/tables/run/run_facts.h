// Table `run`: the program, how it ended, how much was recorded, and the cost (run_cost.h). The
// keys are always the same. A value is unknown if no part of the run has it.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"
#include "trace/run/run.h"

namespace laptime {

// The folder in which the program was started. Empty if unknown.
std::string run_directory(const Run& run);

Table run_table(const Analysis& analysis);
extern const TableDefinition kRunTable;

}  // namespace laptime
