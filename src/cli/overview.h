// Which tables say the most about a run: for `laptime report` without table names.
#pragma once

#include <string>
#include <vector>

#include "tables/run/table.h"
#include "trace/run/run.h"

namespace laptime {

// A run of a training framework has ops, waits for input or optimizer steps; of others scopes,
// lines and functions tell.
bool is_training(const Run& run);

// Names of tables, for a whole screen.
std::vector<std::string> overview_tables(const Run& run);
// On a screen: all but those where it tells something that there is nothing.
void leave_out_empty(std::vector<Table>& tables);

}  // namespace laptime
