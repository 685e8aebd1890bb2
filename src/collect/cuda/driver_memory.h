// Memory that a program takes from the CUDA driver itself, recorded by callbacks on the few calls
// that do so. For programs without an allocator that is followed: with torch's caching allocator,
// memory would count twice.
//
// Contract: only exit callbacks of successful allocations and enter callbacks of releases are
// recorded, so an address is released before it is taken again. Complete only if it is on before
// the program's first allocation.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collect/cuda/cuda_api.h"

namespace laptime::cuda {

class DriverMemory {
 public:
  explicit DriverMemory(CudaApi& api) : api_(api) {}

  // Records from the next enable() on.
  void request() { requested_.store(true); }
  void enable(bool on);
  // Records a call that takes or releases memory. Ignores others.
  void on_driver_call(std::uint32_t id, const CallbackData& call);

 private:
  std::uint32_t device_name(void* context);
  void allocated(std::uint32_t id, const CallbackData& call);

  CudaApi& api_;
  std::atomic<bool> requested_{false};
  std::array<std::atomic<std::uint32_t>, 64> names_{};  // by device, interned
};

}  // namespace laptime::cuda
