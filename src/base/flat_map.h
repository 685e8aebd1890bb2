// A hash table with 64-bit keys other than 0, for millions of them. Numbers are often counted up,
// so neighbouring keys are adjacent in memory: blocks of 32 keys are scattered, not single keys.
//
// Contract: keys are never removed. References are valid until the next new key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laptime {

template <typename Value>
class FlatMap {
 public:
  // The key's value; a new key gets Value{}.
  Value& operator[](std::uint64_t key) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = slots_[find_slot(key)];
    if (slot.key == 0) {
      slot.key = key;
      ++size_;
    }
    return slot.value;
  }
  const Value* find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[find_slot(key)];
    return slot.key == 0 ? nullptr : &slot.value;
  }
  std::size_t size() const { return size_; }
  // In no particular order.
  template <typename Visit>
  void for_each(Visit visit) {
    for (Slot& slot : slots_)
      if (slot.key != 0) visit(slot.value);
  }

 private:
  static constexpr std::size_t kFirstSlots = 64, kBlock = 32;
  struct Slot {
    std::uint64_t key = 0;
    Value value{};
  };

  std::size_t find_slot(std::uint64_t key) const {
    const std::uint64_t block = key / kBlock * 0x9E3779B97F4A7C15ull;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = ((block ^ block >> 29) * kBlock + key % kBlock) & mask;
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFirstSlots : slots_.size() * 2));
    for (Slot& slot : old)
      if (slot.key != 0) slots_[find_slot(slot.key)] = std::move(slot);
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace laptime
