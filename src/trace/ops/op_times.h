// What ops took, summed by something that their call sites tell: a line, a module. Every op's self
// time is counted once, so sums over call sites are sums over the time in ops. Optimizers' ops
// count as forward: they run where they were called.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

struct OpTimes {
  std::uint64_t calls = 0;  // outermost forward ops
  std::uint64_t forward_ns = 0, backward_ns = 0;
  std::uint64_t wait_ns = 0;  // waits for input that say where
  std::uint64_t gpu_ns = 0;   // what GPUs did for it, forward and backward; not from sum_op_times

  std::uint64_t total_ns() const { return forward_ns + backward_ns; }
  bool any() const { return calls > 0 || total_ns() > 0 || wait_ns > 0 || gpu_ns > 0; }
  void add(const OpTimes& other);
};

// By call site of the run; empty when it has no ops.
std::vector<OpTimes> sum_op_times(const Run& run, const OpAttribution& attribution);

}  // namespace laptime
