// Where a thread stands when it launches: the user's line and autograd's node. What knows about
// Python and PyTorch is given as functions, so that this collector needs neither.
#pragma once

#include <atomic>
#include <cstdint>

#include "collect/cuda/torch_context.h"

namespace laptime::cuda {

// The calling thread's call site (record::add_call_site), 0 unknown. Called on the hot path,
// without the GIL.
using CallSiteFunction = std::uint32_t (*)();

// Of a thread inside of an op that is being recorded: the op's place in the low 32 bits, and
// whether an autograd node runs around it in the bit above; negative: it is in none. Cheaper than
// to look for the line; a launch in a recorded op counts for the op's line anyway
// (analyze/launches.h).
using OpCallSiteFunction = std::int64_t (*)();

struct LaunchOrigin {
  std::uint64_t packed;  // OpLink::pack
  bool backward;
};

class LaunchContext {
 public:
  void set_call_site_function(CallSiteFunction function) {
    call_site_.store(function, std::memory_order_release);
  }
  void set_op_call_site_function(OpCallSiteFunction function) {
    op_call_site_.store(function, std::memory_order_release);
  }
  // Launches carry autograd's node from now on. Contract: TorchContext is bound.
  void add_nodes();
  void leave_out_nodes() { nodes_.store(false, std::memory_order_release); }

  LaunchOrigin here() const;
  // The line alone, for waits.
  std::uint32_t call_site() const;

 private:
  struct Op {
    bool recorded = false, backward = false;
    std::uint32_t call_site = 0;
  };
  Op op() const;
  std::uint32_t find_call_site() const;

  std::atomic<CallSiteFunction> call_site_{nullptr};
  std::atomic<OpCallSiteFunction> op_call_site_{nullptr};
  TorchContext torch_;  // a copy: it lies where a launch looks anyway
  std::atomic<bool> nodes_{false};
};

}  // namespace laptime::cuda
