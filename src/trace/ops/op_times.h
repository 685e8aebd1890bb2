// Times of ops summed by line or module. Every op's self time counts once, so sums over call sites
// equal the time in ops. Optimizer ops count as forward, because they run where they were called.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

struct OpTimes {
  std::uint64_t calls = 0;  // outermost forward ops
  std::uint64_t forward_ns = 0, backward_ns = 0;
  std::uint64_t wait_ns = 0;  // waits for input with a known call site
  std::uint64_t gpu_ns = 0;   // forward and backward; sum_op_times does not set it

  std::uint64_t total_ns() const { return forward_ns + backward_ns; }
  bool any() const { return calls > 0 || total_ns() > 0 || wait_ns > 0 || gpu_ns > 0; }
  void add(const OpTimes& other);
};

// By call site of the run. Empty if the run has no ops.
std::vector<OpTimes> sum_op_times(const Run& run, const OpAttribution& attribution);

}  // namespace laptime
