// Where each step's wall time went on each GPU.
//
// Every moment of a step belongs to one category: compute while any stream of the device runs a
// kernel, else communication, else copies and fills, else idle.
// Consequence: simultaneous work on two streams counts once, and the categories sum exactly to the
// step's wall time. Copies and communication beside compute are overlapped.
//
// An idle moment has a reason. While the stepping thread waits for a batch it is input. Else the
// whole interval has the reason that held when it began, even in an earlier step. The first that
// fits:
// - other: the next work was already launched. It waited for another stream, a device or the
//   hardware.
// - sync: the host was waiting for the GPU when the queue became empty (gpu_waits.h).
// - other: the launch of the next work is unknown.
// - launches: all other cases, also if no work followed.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "trace/gpu/gpu_waits.h"
#include "trace/gpu/gpu_work.h"
#include "trace/steps/steps.h"

namespace laptime {

enum class DeviceCategory : std::uint8_t {
  compute,
  communication,
  copies,
  idle_input,
  idle_sync,
  idle_launches,
  idle_other
};
inline constexpr std::size_t kDeviceCategories = 7;
inline std::size_t index(DeviceCategory category) { return static_cast<std::size_t>(category); }

struct DeviceStep {
  Step step;
  std::uint32_t device = 0;
  std::array<std::int64_t, kDeviceCategories> exposed{};  // sums to step.wall_ns
  std::array<std::int64_t, kDeviceCategories>
      overlapped{};  // communication and copies beside a category that has priority
};

struct DeviceSteps {
  std::vector<DeviceStep> all;
  // Track and number of recorded steps that began before the GPU's work was known (device_known.h).
  // `steps` leaves them out for that GPU.
  std::set<std::pair<std::uint32_t, std::uint32_t>> left_out;
};

// Of each recorded step, for each GPU of its process that worked in any step of the phase.
DeviceSteps split_device_steps(const Run& run, const std::vector<Step>& steps,
                               const GpuWorkload& gpu, const std::vector<GpuWait>& gpu_waits);

}  // namespace laptime
