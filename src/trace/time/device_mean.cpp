#include "trace/time/device_mean.h"

#include <algorithm>

#include "trace/steps/step_choice.h"

namespace laptime {

namespace {

bool is_work(std::size_t category) { return category < index(DeviceCategory::idle_input); }

void add(const DeviceStepList& steps, DeviceMean& mean) {
  const auto count = static_cast<double>(steps.size());
  for (const DeviceStep* step : steps) {
    for (std::size_t c = 0; c < kDeviceCategories; ++c) {
      mean.exposed[c] += static_cast<double>(step->exposed[c]) / count;
      mean.overlapped[c] += static_cast<double>(step->overlapped[c]) / count;
    }
  }
}

// Scales steps of one kind to a mean step of `wall_ns`.
DeviceMean scaled_mean(const DeviceStepList& steps, double wall_ns) {
  DeviceMean mean{wall_ns, {}, {}, 0};
  add(steps, mean);
  double busy = 0;
  for (std::size_t c = 0; c < kDeviceCategories; ++c) busy += is_work(c) ? mean.exposed[c] : 0;
  const double recorded = mean_wall_ns(steps), idles = recorded - busy;
  double work = 1, idle = 1;
  if (recorded < wall_ns) {
    work = idle = wall_ns / recorded;
  } else {
    work = busy > wall_ns ? wall_ns / busy : 1;
    idle = idles > 0 ? std::max(0.0, wall_ns - busy) / idles : 1;
  }
  for (std::size_t c = 0; c < kDeviceCategories; ++c) mean.exposed[c] *= is_work(c) ? work : idle;
  return mean;
}

// If no slow step was recorded, slow steps are assumed to do what usual ones do, and more.
DeviceMean divided_as(const DeviceMean& usual, double wall_ns) {
  DeviceMean slow = usual;
  const double share = std::min(1.0, wall_ns / usual.wall_ns);
  for (double& ns : slow.exposed) ns *= share;
  slow.wall_ns = wall_ns;
  slow.undivided_ns = wall_ns - share * usual.wall_ns;
  return slow;
}

}  // namespace

DeviceMean mean_device_step(const DeviceStepList& recorded, const HostSteps& all) {
  const UsualAndSlow of_device(recorded);
  const UsualAndSlow of_host(all);
  if (of_device.usual.empty() || of_host.usual.empty() || of_host.slow.empty())
    return scaled_mean(recorded, mean_wall_ns(all));
  const DeviceMean usual = scaled_mean(of_device.usual, mean_wall_ns(of_host.usual));
  const double slow_wall = mean_wall_ns(of_host.slow);
  const DeviceMean slow = of_device.slow.empty() ? divided_as(usual, slow_wall)
                                                 : scaled_mean(of_device.slow, slow_wall);
  const double share = static_cast<double>(of_host.slow.size()) / static_cast<double>(all.size());
  const auto mix = [&](double of_usual, double of_slow) {
    return (1 - share) * of_usual + share * of_slow;
  };
  DeviceMean both{
      mix(usual.wall_ns, slow.wall_ns), {}, {}, mix(usual.undivided_ns, slow.undivided_ns)};
  for (std::size_t c = 0; c < kDeviceCategories; ++c) {
    both.exposed[c] = mix(usual.exposed[c], slow.exposed[c]);
    both.overlapped[c] = mix(usual.overlapped[c], slow.overlapped[c]);
  }
  return both;
}

}  // namespace laptime
