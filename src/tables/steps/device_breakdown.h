// View `device` of the breakdown: where a mean step goes on each GPU (device_time.h says what a
// category is).
#pragma once

#include "tables/run/table.h"
#include "trace/analysis.h"

namespace laptime {

// Appends rows with the columns of table `breakdown`: view, category, ns_per_step, share,
// exposed_ns, overlapped_ns, phase, steps, p5_ns, p50_ns, p95_ns. They are of the mean of all steps
// that count, recorded or not, as the host's view is. With several devices the views are `device
// 0`, `device 1` ….
void add_device_rows(const Analysis& analysis, Table& table);

}  // namespace laptime
