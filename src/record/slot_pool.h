// Passes free slots to threads and takes full ones back, without locks.
//
// Two stacks of slot numbers: free slots, taken by any thread, and full slots, taken all at once by
// the encoder. The slot returned last is reused first, so that under light load the same few slots
// stay in cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace laptime::record {

class SlotPool {
 public:
  explicit SlotPool(std::uint32_t capacity)
      : capacity_(capacity), next_(new std::atomic<std::uint32_t>[capacity]) {}

  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t free_count() const { return free_count_.load(std::memory_order_relaxed); }
  std::uint32_t full_count() const { return full_count_.load(std::memory_order_relaxed); }

  void push_free(std::uint32_t slot) {
    push(free_, slot);
    free_count_.fetch_add(1, std::memory_order_relaxed);
  }
  std::optional<std::uint32_t> pop_free();

  // Returns how many full slots are waiting now.
  std::uint32_t push_full(std::uint32_t slot) {
    push(full_, slot);
    return full_count_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  // Takes all full slots, oldest first.
  std::vector<std::uint32_t> take_full();

 private:
  // Low half: the number of the top slot plus one. High half: a change counter, so that a slot that
  // was popped and pushed again in between is noticed.
  using Head = std::atomic<std::uint64_t>;
  void push(Head& head, std::uint32_t slot);

  const std::uint32_t capacity_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> next_;
  alignas(64) Head free_{0};
  alignas(64) Head full_{0};
  std::atomic<std::uint32_t> free_count_{0};
  std::atomic<std::uint32_t> full_count_{0};
};

}  // namespace laptime::record
