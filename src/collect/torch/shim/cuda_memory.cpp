// Follows every block that PyTorch's caching allocator for CUDA allocates and frees, and how much
// it holds from the driver.
//
// A tracker is called under the allocator's lock, on the thread that allocates. It can be attached
// after CUDA's initialisation, but never detached: a flag makes it rest. If an allocation was
// reported, its release is reported, at any time.
#include "collect/torch/shim/followed_memory.h"

#ifdef LAPTIME_WITH_CUDA

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <type_traits>

namespace laptime_memory {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

// The blocks whose release must be reported. If an address finds no free entry among its
// neighbours, all releases are reported from then on. A reader ignores those of blocks that it does
// not know.
class FollowedBlocks {
 public:
  void add(std::uint64_t address) {
    const std::size_t home = home_of(address);
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      std::uint64_t found = 0;
      if (slots_[(home + i) % kSlots].compare_exchange_strong(found, address,
                                                              std::memory_order_relaxed) ||
          found == address)
        return;
    }
    overflown_.store(true, std::memory_order_relaxed);
  }
  // Whether its release must be reported.
  bool remove(std::uint64_t address) {
    const std::size_t home = home_of(address);
    for (std::size_t i = 0; i < kNeighbours; ++i) {
      std::uint64_t expected = address;
      if (slots_[(home + i) % kSlots].compare_exchange_strong(expected, 0,
                                                              std::memory_order_relaxed))
        return true;
    }
    return overflown_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kSlots = 1u << 16, kNeighbours = 16;
  // Blocks begin at multiples of 512 bytes.
  static std::size_t home_of(std::uint64_t address) {
    return (address >> 9) * 0x9E3779B97F4A7C15ull >> 48;
  }
  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
  std::atomic<bool> overflown_{false};
};
FollowedBlocks followed;
bool attached = false;

// Bytes that each device's allocator holds. Written under that allocator's lock, or when recording
// begins.
std::array<std::atomic<std::int64_t>, 64> held{};

void change_held(int device, std::int64_t by) {
  std::atomic<std::int64_t>& bytes = held[static_cast<unsigned>(device) % held.size()];
  const std::int64_t now = bytes.fetch_add(by, std::memory_order_relaxed) + by;
  if (mode.load(std::memory_order_relaxed) == Mode::record)
    memory_host().reserved(device, now > 0 ? static_cast<std::uint64_t>(now) : 0);
}

// A template, because the entry's type has moved between torch's namespaces. The fields read here
// are the same.
void track(const auto& entry) {
  using Entry = std::decay_t<decltype(entry)>;
  const auto* const address = reinterpret_cast<const void*>(entry.addr_);
  const auto bytes = static_cast<std::int64_t>(entry.size_);
  switch (entry.action_) {
    case Entry::ALLOC:
      if (mode.load(std::memory_order_relaxed) != Mode::record) return;
      followed.add(entry.addr_);
      return report_allocation(entry.device_, address, entry.size_);
    case Entry::FREE_REQUESTED:
      if (followed.remove(entry.addr_)) report_release(entry.device_, address);
      return;
    case Entry::SEGMENT_ALLOC:
    case Entry::SEGMENT_MAP:
      return change_held(entry.device_, bytes);
    case Entry::SEGMENT_FREE:
    case Entry::SEGMENT_UNMAP:
      return change_held(entry.device_, -bytes);
    default:
      return;
  }
}

}  // namespace

bool attach_cuda() {
  if (attached) return true;
  allocator::attachAllocatorTraceTracker([](const auto& entry) { track(entry); });
  attached = true;
  if (mode.load(std::memory_order_relaxed) == Mode::record) begin_cuda();
  return true;
}

void begin_cuda() {
  if (!attached) return;
  for (int device = 0; device < c10::cuda::device_count(); ++device) {
    held[static_cast<unsigned>(device) % held.size()] =
        allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device)).reserved_bytes[0].current;
    change_held(device, 0);
  }
}

bool follow_cuda_block(const void* address) {
  if (attached) followed.add(reinterpret_cast<std::uint64_t>(address));
  return attached;
}

}  // namespace laptime_memory

#else

namespace laptime_memory {

bool attach_cuda() { return false; }
void begin_cuda() {}
bool follow_cuda_block(const void*) { return false; }

}  // namespace laptime_memory

#endif
