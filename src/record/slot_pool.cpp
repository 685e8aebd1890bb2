#include "record/slot_pool.h"

#include <algorithm>

namespace laptime::record {

namespace {

std::uint64_t make_head(std::uint64_t old, std::uint32_t top) {
  return ((old >> 32) + 1) << 32 | top;
}
std::uint32_t top_of(std::uint64_t head) { return static_cast<std::uint32_t>(head); }

}  // namespace

void SlotPool::push(Head& head, std::uint32_t slot) {
  std::uint64_t old = head.load(std::memory_order_relaxed);
  do {
    next_[slot].store(top_of(old), std::memory_order_relaxed);
  } while (!head.compare_exchange_weak(old, make_head(old, slot + 1), std::memory_order_acq_rel,
                                       std::memory_order_relaxed));
}

std::optional<std::uint32_t> SlotPool::pop_free() {
  std::uint64_t old = free_.load(std::memory_order_acquire);
  while (top_of(old) != 0) {
    const std::uint32_t slot = top_of(old) - 1;
    const std::uint32_t below = next_[slot].load(std::memory_order_relaxed);
    if (free_.compare_exchange_weak(old, make_head(old, below), std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      free_count_.fetch_sub(1, std::memory_order_relaxed);
      return slot;
    }
  }
  return std::nullopt;
}

std::vector<std::uint32_t> SlotPool::take_full() {
  std::uint64_t old = full_.load(std::memory_order_relaxed);
  while (!full_.compare_exchange_weak(old, make_head(old, 0), std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
  }
  std::vector<std::uint32_t> slots;
  for (std::uint32_t top = top_of(old); top != 0;
       top = next_[top - 1].load(std::memory_order_relaxed))
    slots.push_back(top - 1);
  full_count_.fetch_sub(static_cast<std::uint32_t>(slots.size()), std::memory_order_relaxed);
  std::reverse(slots.begin(), slots.end());
  return slots;
}

}  // namespace laptime::record
