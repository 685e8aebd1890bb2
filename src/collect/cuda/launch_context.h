// Where a thread stands when it launches: the user's line and autograd's node. What knows about
// Python and PyTorch is given as functions, so that this collector needs neither.
#pragma once

#include <atomic>
#include <cstdint>

#include "collect/cuda/torch_context.h"

namespace laptime::cuda {

// The calling thread's place (record::add_place), 0 unknown. Called on the hot path, without the
// GIL.
using PlaceFunction = std::uint32_t (*)();

// Of a thread inside of an op that is being recorded: the op's place in the low 32 bits, and
// whether an autograd node runs around it in the bit above; negative: it is in none. Cheaper than
// to look for the line; a launch in a recorded op counts for the op's line anyway
// (analyze/launches.h).
using OpPlaceFunction = std::int64_t (*)();

struct LaunchOrigin {
  std::uint64_t packed;  // OpLink::pack
  bool backward;
};

class LaunchContext {
 public:
  void set_place_function(PlaceFunction function) {
    place_.store(function, std::memory_order_release);
  }
  void set_op_place_function(OpPlaceFunction function) {
    op_place_.store(function, std::memory_order_release);
  }
  // Launches carry autograd's node from now on. Contract: TorchContext is bound.
  void add_nodes();
  void leave_out_nodes() { nodes_.store(false, std::memory_order_release); }

  LaunchOrigin here() const;
  // The line alone, for waits.
  std::uint32_t place() const;

 private:
  struct Op {
    bool recorded = false, backward = false;
    std::uint32_t place = 0;
  };
  Op op() const;
  std::uint32_t find_place() const;

  std::atomic<PlaceFunction> place_{nullptr};
  std::atomic<OpPlaceFunction> op_place_{nullptr};
  TorchContext torch_;  // a copy: it lies where a launch looks anyway
  std::atomic<bool> nodes_{false};
};

}  // namespace laptime::cuda
