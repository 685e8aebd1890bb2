// Where threads waited for a GPU: driver calls that wait, and copies from a GPU whose call returns
// only when the data has arrived. These copies go to pageable memory or were made blocking. They
// wait for all work launched before on the stream.
//
// A wait inside another belongs to the outer one, so each moment of a thread counts once. Examples
// are synchronising calls that the driver builds from smaller ones, and waits inside a copy.
// A copy to a GPU also takes host time, but waits for no result. It is in table `copies` only.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/gpu/gpu_work.h"
#include "trace/ops/attribution.h"
#include "trace/steps/steps.h"

namespace laptime {

struct GpuWait {
  std::int64_t start_ns, end_ns;
  std::uint32_t track, row;
  std::uint32_t op;  // Run::strings: the outermost op around it or the backward node; 0 none
  // Run::call_sites, 0 unknown. With op records: that of the op around it, as for launches
  // (launches.h).
  std::uint32_t call_site;
  // The previous wait of the thread has the same call site, and nothing was launched since.
  // `.cpu()` waits in two calls.
  bool goes_on = false;
};

// By track. Waits made while recording rested are left out.
std::vector<GpuWait> find_gpu_waits(const Run& run, const std::vector<Step>& steps,
                                    const OpAttribution& ops, const GpuWorkload& gpu);

}  // namespace laptime
