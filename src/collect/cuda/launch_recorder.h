// CUPTI's callbacks. A launch becomes a record with its line and its autograd node. A wait becomes
// a span of kind sync. A node of a CUDA graph becomes an instant with the place where it was
// captured.
//
// Contract: hot, on the program's own threads. No locks and no allocations, except while a graph is
// captured.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "collect/cuda/awaited_launches.h"
#include "collect/cuda/cuda_api.h"
#include "collect/cuda/driver_calls.h"
#include "collect/cuda/launch_context.h"

namespace laptime::cuda {

class LaunchRecorder {
 public:
  explicit LaunchRecorder(CudaApi& api);

  // Switches CUPTI's callbacks on or off.
  void enable(bool on, std::uint32_t generation);
  // Whether work launched from now on is recorded. Launches are seen a moment longer, at both ends.
  void expect_records(bool on) { expects_.store(on, std::memory_order_relaxed); }
  // Contract: knows(id).
  void on_driver_call(std::uint32_t id, const CallbackData& call);
  void on_resource(std::uint32_t id, const ResourceData& resource);

  LaunchContext& context() { return context_; }
  // Whether the call launches or waits.
  bool knows(std::uint32_t id) const { return id < kIds && calls_[id].name != 0; }
  std::uint64_t launches() const { return launches_.load(std::memory_order_relaxed); }
  // Launches that began while records were expected, did not fail and did not go into a graph.
  AwaitedLaunches& awaited() { return awaited_; }
  const AwaitedLaunches& awaited() const { return awaited_; }

 private:
  void put_wait(std::uint64_t start, std::uint64_t end, std::uint32_t name);
  void put_graph_node(std::uint64_t node, const LaunchOrigin& origin);

  static constexpr std::uint32_t kIds = 1024;
  struct KnownCall {
    std::uint32_t name = 0;
    bool waits = false;
  };

  // In one cache line: the program has evicted it since the last launch.
  alignas(64) LaunchContext context_;
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<bool> expects_{false}, sees_graphs_{false};
  alignas(64) CudaApi& api_;
  std::array<KnownCall, kIds> calls_{};
  AwaitedLaunches awaited_;
  std::uint32_t graph_node_name_;
  std::mutex graphs_;
  std::unordered_map<std::uint64_t, LaunchOrigin> graph_nodes_;
};

}  // namespace laptime::cuda
