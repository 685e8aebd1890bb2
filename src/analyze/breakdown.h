// Table `breakdown`: where a typical step goes, by phase: on the host (host_time.h says what a category is), and on each GPU (device_breakdown.h).
//
// Made of the steady steps of a phase (where there are none: of all but warmup and compile steps; else of all). Wall time
// and the categories known in every step are means over all of them; what is left is divided as in the steady ones among
// those whose ops were recorded. So the categories sum to the mean wall time. Where no step has ops, what cannot be told apart is one row:
// "python and ops", or "other" in a program that is not Python. Rows of nothing are left out, and
// so are phases of such a program of which nothing else is known; `steps` is how many steps a row is from. p5_ns, p50_ns and p95_ns are over
// these steps, each as it was measured.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"

namespace laptime {

Table breakdown_table(const Analysis& analysis);

}  // namespace laptime
