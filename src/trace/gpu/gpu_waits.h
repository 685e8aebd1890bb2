// Where threads stood still for a GPU: calls of the driver that wait for it, and copies from it
// whose call returns only when the data are there (to pageable memory, or asked to block), for
// which all that was launched before on the stream must be done.
//
// A wait inside another (a synchronising call that the driver builds from smaller ones, or that a
// copy makes) is the outer one's: a moment of a thread counts once. A copy to a GPU takes the
// host's time as well, but no result is waited for: it is in table `copies` alone.
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
  std::uint32_t op;  // Run::strings: the outermost op around it, or the backward node; 0 none
  std::uint32_t call_site;  // Run::call sites, 0 unknown: with op records where the op around it
                            // belongs, as of a launch (launches.h)
  bool goes_on = false;  // the wait before it on its thread was at the same call site, and nothing
                         // was launched since: `.cpu()` waits in two calls
};

// By track; without those made while recording rested.
std::vector<GpuWait> find_gpu_waits(const Run& run, const std::vector<Step>& steps,
                                    const OpAttribution& ops, const GpuWorkload& gpu);

}  // namespace laptime
