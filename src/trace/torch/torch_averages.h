// Events grouped by name, one row each, like torch.profiler's key_averages.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/torch/torch_events.h"

namespace laptime {

struct TorchGrouping {
  bool by_shapes = false;
  std::size_t stack_depth = 0;  // how many innermost frames must be equal; 0: none
};

struct TorchAverage {
  // The group's first event: its name, kind, shapes and call site represent the group.
  std::uint32_t first = 0;
  std::uint64_t calls = 0;
  std::int64_t cpu_ns = 0, self_cpu_ns = 0, kernel_ns = 0, self_kernel_ns = 0;
  std::int64_t cpu_bytes = 0, self_cpu_bytes = 0, device_bytes = 0, self_device_bytes = 0;
  std::int64_t flops = 0;
};

// In the order in which groups first occur. All steps (`ProfilerStep#N`) are one group.
std::vector<TorchAverage> torch_averages(const Run& run, const TorchEvents& events,
                                         TorchGrouping grouping);

inline constexpr std::string_view kTorchStepPrefix = "ProfilerStep#";

}  // namespace laptime
