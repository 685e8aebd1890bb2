// Where the mean step of a phase goes on one GPU, though GPU work was recorded in a part of the
// steps only.
//
// Recorded steps take longer than the others: what the device does takes as long in these, it idles
// less. Where recorded steps happen to be shorter, they are other steps, and all of theirs grows
// alike. Usual and slow steps are scaled apart.
#pragma once

#include <array>
#include <vector>

#include "trace/time/device_time.h"
#include "trace/time/mean_step.h"

namespace laptime {

using DeviceStepList = std::vector<const DeviceStep*>;

struct DeviceMean {
  double wall_ns = 0;
  std::array<double, kDeviceCategories> exposed{}, overlapped{};
  // What slow steps took longer than usual ones, where no slow step was recorded.
  double undivided_ns = 0;
};

// `recorded`: steps of the device; `all`: the steps of the phase, recorded or not. exposed and
// undivided_ns sum to the mean wall time of `all`. Contract: neither is empty, and only steps that
// count are in them.
DeviceMean mean_device_step(const DeviceStepList& recorded, const HostSteps& all);

}  // namespace laptime
