// Memory that a program takes from the CUDA driver itself, by callbacks on the few calls that do
// so. For programs without an allocator that is followed (torch's caching allocator is): there it
// would be counted twice.
//
// Contract: only exit callbacks of successful allocations and enter callbacks of releases are
// recorded, so an address is free before it is taken again. Complete only when it is on before the
// program's first allocation.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collect/cuda/cuda_api.h"

namespace laptime::cuda {

class DriverMemory {
 public:
  explicit DriverMemory(CudaApi& api) : api_(api) {}

  // From the next enable() on.
  void want() { wanted_.store(true); }
  void enable(bool on);
  // Of a call that takes or gives memory; others are not looked at.
  void on_driver_call(std::uint32_t id, const CallbackData& call);

 private:
  std::uint32_t device_name(void* context);
  void allocated(std::uint32_t id, const CallbackData& call);

  CudaApi& api_;
  std::atomic<bool> wanted_{false};
  std::array<std::atomic<std::uint32_t>, 64> names_{};  // by device, intern'ed
};

}  // namespace laptime::cuda
