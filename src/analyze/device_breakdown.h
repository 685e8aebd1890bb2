// View `device` of the breakdown: where a typical step goes on each GPU.
//
// Every moment of a step belongs to one category: compute when any stream of the device runs a kernel; else communication; else
// copies (fills too); else idle. Consequence: work on two streams at once counts once, and the categories sum to the step's wall
// time exactly. What copies and communication did beside compute is overlapped_ns.
//
// An idle stretch has a reason. Moments in which the thread that steps waits for a batch: input. The rest of the stretch: a sync, if
// the host was waiting for the GPU when it ran dry; launches, if what ran next had not been launched by then; else other
// (it was launched, and waited for another stream, a device, or the hardware).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/analysis.h"
#include "analyze/steps.h"
#include "analyze/table.h"

namespace laptime {

enum class DeviceCategory : std::uint8_t { compute, communication, copies, idle_input, idle_sync, idle_launches, idle_other };
inline constexpr std::size_t kDeviceCategories = 7;

struct DeviceStep {
  Step step;
  std::uint32_t device = 0;
  std::array<std::int64_t, kDeviceCategories> exposed{};     // sums to step.wall_ns
  std::array<std::int64_t, kDeviceCategories> overlapped{};  // communication and copies beside something that counts before them
};

// Of each step and each GPU of its process that worked in it; steps whose recording rested are left out.
std::vector<DeviceStep> split_device_steps(const Analysis& analysis);

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
