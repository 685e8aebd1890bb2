// What autograd tells about the calling thread, read from libtorch_cpu without its headers.
//
// Assumption: at::sequence_number::peek, at::RecordFunction::currentThreadId and
// torch::autograd::get_current_node are exported, the last returns a std::shared_ptr or an
// intrusive_ptr, and a Node has its number and its thread where torch_context.cpp says. None of it
// is promised, so the caller proves it on a node that it knows (python/laptime/collect/cuda.py)
// before nodes are used; where it does not hold, backward kernels have lines only in steps whose
// ops are recorded.
#pragma once

#include <cstdint>

namespace laptime::cuda {

class TorchContext {
 public:
  static TorchContext& get();

  // Looks for the functions; false where the program has no PyTorch, or one that does not export
  // them.
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
  void* (*node_)(void* result) = nullptr;  // a returned object's address is the first argument
};

}  // namespace laptime::cuda
