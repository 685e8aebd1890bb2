// Which tables say the most about a run: for `laptime report` without table names, and for the end of `laptime run`.
#pragma once

#include <string>
#include <vector>

#include "analyze/analysis.h"
#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

// A run of a training framework has ops, waits for input or optimizer steps; of others scopes, lines and functions tell.
bool is_training(const Run& run);

// Names of tables, for a whole screen.
std::vector<std::string> overview_tables(const Run& run);
// On a screen: all but those where it tells something that there is nothing.
void leave_out_empty(std::vector<Table>& tables);

// A few rows of the tables that have any, for the end of a run; of a training run only the columns that fit a terminal of 100
// to 140 columns.
std::vector<Table> summary_tables(const Analysis& analysis);

}  // namespace laptime
