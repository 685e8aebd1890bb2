// The origin of a launch on its thread: the user's line and autograd's node. The parts that depend
// on Python and PyTorch are passed as functions, so this collector needs neither.
#pragma once

#include <atomic>
#include <cstdint>

#include "collect/cuda/torch_context.h"

namespace laptime::cuda {

// The calling thread's call site (record::add_call_site), 0 unknown. Called on the hot path,
// without the GIL.
using CallSiteFunction = std::uint32_t (*)();

// For a thread inside of a recorded op: the op's call site in the low 32 bits. The bit above is set
// if an autograd node runs around the op. Negative if the thread is in no recorded op. This is
// cheaper than searching the line, and a launch in a recorded op counts for the op's line anyway
// (trace/gpu/launches.h).
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
  // Only the line, for waits.
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
  TorchContext torch_;  // a copy, so that it is in memory that a launch reads anyway
  std::atomic<bool> nodes_{false};
};

}  // namespace laptime::cuda
