// Autograd's state of the calling thread, read from libtorch_cpu without its headers.
//
// Assumption: at::sequence_number::peek, at::RecordFunction::currentThreadId and
// torch::autograd::get_current_node are exported. The last one returns a std::shared_ptr or an
// intrusive_ptr. A Node has its number and its thread at the offsets of torch_context.cpp. None of
// this is promised, so the caller verifies it on a known node before nodes are used
// (python/laptime/collect/cuda.py). If it does not hold, backward kernels have lines only in steps
// whose ops are recorded.
#pragma once

#include <cstdint>

namespace laptime::cuda {

class TorchContext {
 public:
  static TorchContext& get();

  // Finds the functions. False if the program has no PyTorch, or one that does not export them.
  bool bind();
  bool is_bound() const { return node_ != nullptr; }

  struct Node {
    bool running = false;
    std::int64_t sequence = -1;  // -1: it has none (AccumulateGrad)
    std::uint64_t thread = 0;    // of the forward pass
  };
  Node current_node() const;
  std::int64_t made_nodes() const { return static_cast<std::int64_t>(peek_()); }
  std::uint64_t thread() const { return thread_(); }

 private:
  std::uint64_t (*peek_)() = nullptr;
  std::uint64_t (*thread_)() = nullptr;
  // the address of the returned object is the first argument
  void* (*node_)(void* result) = nullptr;
};

}  // namespace laptime::cuda
