// The work of kernels: floating point operations and bytes, derived from the op that launched them.
//
// FLOPs. An op's FLOPs belong to the one kernel launched within it whose name says that it
// multiplies. With several such kernels, or none, FLOPs are unknown. They are also unknown for
// Winograd's method, which multiplies less.
// In a convolution's backward pass each multiplying kernel computes one of two products
// (convolution_flops.h). With Winograd's method only kernels that are named after a product count.
//
// Bytes. They are the least that the op must move (op_bytes.h), and are known if the op launched
// one kernel. An op may launch several kernels over lists of tensors: these share its bytes in
// proportion to their time.
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

// By row of GpuWorkload::all(). Empty if no op recorded its shapes.
std::vector<KernelEffort> find_kernel_efforts(const Run& run, const OpAttribution& ops,
                                              const GpuWorkload& gpu);

}  // namespace laptime
