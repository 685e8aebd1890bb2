// View `device` of the breakdown: where a typical step goes on each GPU (device_time.h says what a category is).
#pragma once

#include <vector>

#include "analyze/analysis.h"
#include "analyze/device_time.h"
#include "analyze/table.h"

namespace laptime {

// Recorded steps take longer than the others: what the device does takes as long in these, it idles less. Where they happen to be shorter, they
// are other steps, and all of theirs grows alike.
struct DeviceScale {
  // From `steps`, not empty, to a mean step of `wall_ns`.
  DeviceScale(const std::vector<const DeviceStep*>& steps, double wall_ns);
  double of(DeviceCategory category) const { return category < DeviceCategory::idle_input ? work : idle; }

  double work, idle;
};

// Appends rows with the columns of table `breakdown`: view, category, ns_per_step, share, exposed_ns, overlapped_ns, phase, steps, p5_ns, p50_ns, p95_ns.
// Means over the steady steps of a phase (where there are none: all but warmup and compile steps; else all), brought to the phase's mean step, whether recorded or
// not, as the host's view is. With several devices
// the views are `device 0`, `device 1` ….
void add_device_rows(const Analysis& analysis, Table& table);

}  // namespace laptime
