// What kernels had to do: floating point operations and bytes, from what is known of the op that
// launched them.
//
// An op's FLOPs are done by the one kernel among those launched within it whose name says that it
// multiplies; where there are several, or none, nothing is known; nor where Winograd's method is
// used, which multiplies less. Of a convolution's backward pass each multiplying kernel makes one
// of its two products (convolution_flops.h); with Winograd's method only those that are named after
// a product. Bytes are those that the op has to move at least (op_bytes.h), where it launched one
// kernel and no more; kernels over lists of tensors, of which an op may launch several, share its
// bytes as they share its time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/gpu/gpu_work.h"
#include "trace/run/run.h"

namespace laptime {

struct KernelEffort {
  std::optional<std::uint64_t> flops, bytes;
};

// By row of GpuWorkload::all(); empty where no op told its shapes.
std::vector<KernelEffort> find_kernel_efforts(const Run& run, const OpAttribution& ops,
                                              const GpuWorkload& gpu);

}  // namespace laptime
