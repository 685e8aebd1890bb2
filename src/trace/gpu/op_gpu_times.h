// What GPUs did for each op: the kernels, copies and fills whose launches were made while it ran,
// on its thread. What ops inside it launched is theirs (self_ns) and its own too (ns), as torch
// counts device time.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/gpu/gpu_work.h"
#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

// By row of one track's spans; empty for a track on which no op launched anything.
struct OpGpuTimes {
  BulkVector<std::uint64_t> self_ns, ns;

  bool empty() const { return self_ns.empty(); }
};

// By track of the run.
std::vector<OpGpuTimes> sum_op_gpu_times(const Run& run, const OpAttribution& ops,
                                         const GpuWorkload& gpu);

}  // namespace laptime
