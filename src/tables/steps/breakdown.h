// Table `breakdown`: where a mean step goes, by phase: on the host (host_time.h says what a
// category is), and on each GPU (device_breakdown.h).
//
// Made of all steps of a phase that count (steps.h): wall time and the categories known in every
// step are means over them. What is left is divided as in those whose ops were recorded
// (mean_step.h). So the categories sum to the mean wall time. If slow steps have no ops, what they
// took longer than usual steps is the row "not recorded". If no step has ops, what cannot be told
// apart is the row "python and ops", or "other" in a program that is not Python. Rows of nothing
// are left out, and so are phases of such a program of which nothing else is known. `steps`: how
// many steps a row is from; p5_ns, p50_ns and p95_ns: over these steps, each as it was measured.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table breakdown_table(const Analysis& analysis);
extern const TableDefinition kBreakdownTable;

}  // namespace laptime
