// Where each step's wall time went on each GPU.
//
// Every moment of a step belongs to one category: compute when any stream of the device runs a
// kernel; else communication; else copies (fills too); else idle. Consequence: work on two streams
// at once counts once, and the categories sum to the step's wall time exactly. What copies and
// communication did beside compute is overlapped.
//
// An idle interval has a reason. Moments in which the thread that steps waits for a batch: input.
// The rest of the interval, by what held when it began, in whichever step that was: other, if what
// ran next had been launched by then (it waited for another stream, a device, or the hardware);
// else a sync, if the host was waiting for the GPU when it ran dry (gpu_waits.h); else launches,
// also where nothing followed. Where the launch of what ran next is not known and nobody waited:
// other.
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
      overlapped{};  // communication and copies beside something that counts before them
};

struct DeviceSteps {
  std::vector<DeviceStep> all;
  // Track and number of recorded steps that began before it was known what a GPU does
  // (device_known.h); they are not among the others for that GPU.
  std::set<std::pair<std::uint32_t, std::uint32_t>> left_out;
};

// Of each recorded step and each GPU of its process that worked in any of the phase.
DeviceSteps split_device_steps(const Run& run, const std::vector<Step>& steps,
                               const GpuWorkload& gpu, const std::vector<GpuWait>& gpu_waits);

}  // namespace laptime
