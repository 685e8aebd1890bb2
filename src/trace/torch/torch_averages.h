// Events of the same name as one row each: what torch.profiler calls key_averages.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/torch/torch_events.h"

namespace laptime {

struct TorchGrouping {
  bool by_shapes = false;
  std::size_t stack_depth = 0;  // how many innermost frames must be the same; 0: none
};

struct TorchAverage {
  std::uint32_t first =
      0;  // the first event of the group: its name, kind, shapes and call site are the group's
  std::uint64_t calls = 0;
  std::int64_t cpu_ns = 0, self_cpu_ns = 0, kernel_ns = 0, self_kernel_ns = 0;
  std::int64_t cpu_bytes = 0, self_cpu_bytes = 0, device_bytes = 0, self_device_bytes = 0;
  std::int64_t flops = 0;
};

// In the order in which the groups first occur. All steps (`ProfilerStep#N`) are one group.
std::vector<TorchAverage> torch_averages(const Run& run, const TorchEvents& events,
                                         TorchGrouping grouping);

inline constexpr std::string_view kTorchStepPrefix = "ProfilerStep#";

}  // namespace laptime
