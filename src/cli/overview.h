// The most useful tables of a run, for `laptime report` without table names.
#pragma once

#include <string>
#include <vector>

#include "tables/run/table.h"
#include "trace/run/run.h"

namespace laptime {

// True if the run has ops, waits for input or optimizer steps. The overview of other runs has
// scopes, lines and functions.
bool is_training(const Run& run);

// Names of tables that fill a screen.
std::vector<std::string> overview_tables(const Run& run);
// On a screen: removes empty tables, except those whose emptiness is information.
void leave_out_empty(std::vector<Table>& tables);

}  // namespace laptime
