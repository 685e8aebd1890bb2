// The mean step of a phase on one GPU, when GPU work was recorded in only some steps.
//
// Recorded steps take longer than others. The device's work takes equally long in both, so it idles
// less in the others. If recorded steps are shorter by chance, all their parts are scaled up alike.
// Usual and slow steps are scaled separately.
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
  // The extra time of slow steps, if no slow step was recorded.
  double undivided_ns = 0;
};

// `recorded`: steps of the device. `all`: the steps of the phase, recorded or not. exposed and
// undivided_ns sum to the mean wall time of `all`. Contract: neither is empty, and both contain
// only steps that count.
DeviceMean mean_device_step(const DeviceStepList& recorded, const HostSteps& all);

}  // namespace laptime
