// GPU time of each op: kernels, copies and fills launched on its thread while it ran. self_ns
// leaves out what inner ops launched; ns includes it, as torch's device time does.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/gpu/gpu_work.h"
#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

// By row of one track's spans. Empty for a track whose ops launched nothing.
struct OpGpuTimes {
  BulkVector<std::uint64_t> self_ns, ns;

  bool empty() const { return self_ns.empty(); }
};

// By track of the run.
std::vector<OpGpuTimes> sum_op_gpu_times(const Run& run, const OpAttribution& ops,
                                         const GpuWorkload& gpu);

}  // namespace laptime
