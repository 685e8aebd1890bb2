// Shared by the followers of the CPU's and the GPU's allocators: whether they record, whom they
// report to, and which roles were reported.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collect/torch/memory_abi.h"
#include "collect/torch/shim/op_state.h"

namespace laptime_memory {

enum class Mode { rest, record, probe };
inline std::atomic<Mode> mode{Mode::rest};
inline std::atomic<const LaptimeMemoryHost*> host{nullptr};

inline const LaptimeMemoryHost& memory_host() { return *host.load(std::memory_order_relaxed); }

// Addresses whose role was reported, each with that role. The entry is emptied when the block is
// freed, so that the next block at the address is reported anew. Two addresses that share an entry
// displace each other, and are reported more often than needed.
class ReportedRoles {
 public:
  bool has(const void* address, std::uint32_t role) {
    return entry_of(address).load(std::memory_order_relaxed) == value_of(address, role);
  }
  // False if it was reported already.
  bool add(const void* address, std::uint32_t role) {
    if (has(address, role)) return false;
    entry_of(address).store(value_of(address, role), std::memory_order_relaxed);
    return true;
  }
  void remove(const void* address) {
    std::atomic<std::uint64_t>& entry = entry_of(address);
    if (entry.load(std::memory_order_relaxed) != 0) entry.store(0, std::memory_order_relaxed);
  }
  void clear() {
    for (auto& entry : entries_) entry.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kBits = 12;
  static std::uint64_t value_of(const void* address, std::uint32_t role) {
    return reinterpret_cast<std::uint64_t>(address) ^ static_cast<std::uint64_t>(role) << 48;
  }
  std::atomic<std::uint64_t>& entry_of(const void* address) {
    return entries_[(reinterpret_cast<std::uint64_t>(address) >> 6) * 0x9E3779B97F4A7C15ull >>
                    (64 - kBits)];
  }
  std::array<std::atomic<std::uint64_t>, 1u << kBits> entries_{};
};
inline ReportedRoles reported_roles;

inline void report_role(int device, const void* address, std::uint64_t bytes, std::uint32_t role) {
  if (reported_roles.add(address, role)) memory_host().has_role(device, address, bytes, role);
}

// Stores the record beside those of the ops around it. False: the caller must report it by a call.
inline bool put_block(laptime::SpanKind kind, int device, const void* address,
                      std::uint64_t bytes) {
  laptime::torch::OpThread* const thread = laptime_shim::op_thread;
  const std::uint32_t name = memory_host().device_names[device + 1].load(std::memory_order_relaxed);
  laptime::RawRecord* const record =
      thread != nullptr && name != 0 ? laptime::record::reserve(*thread->cursor, 1) : nullptr;
  if (record == nullptr) return false;
  *record = {laptime::torch::op_ticks(laptime_shim::op_host),
             bytes,
             reinterpret_cast<std::uint64_t>(address),
             name,
             0,
             static_cast<std::uint8_t>(kind),
             laptime::RecordType::memory};
  laptime::record::publish(*thread->cursor, record + 1);
  return true;
}

inline void report_allocation(int device, const void* address, std::uint64_t bytes) {
  if (!put_block(laptime::SpanKind::allocate, device, address, bytes))
    memory_host().allocated(device, address, bytes);
}
inline void report_release(int device, const void* address) {
  if (!put_block(laptime::SpanKind::release, device, address, 0))
    memory_host().released(device, address);
  reported_roles.remove(address);
}

// ---- cuda_memory.cpp ----
// See LaptimeMemoryShim::attach_cuda.
bool attach_cuda();
// Recording begins: reports what the devices' allocators hold.
void begin_cuda();
// The block's release is reported from now on, even if it was allocated before on(). False: CUDA's
// blocks are not followed.
bool follow_cuda_block(const void* address);

}  // namespace laptime_memory
