// The blocks of memory that are alive, by address: a hash table made for tens of millions of births and deaths.
//
// Contract: addresses are not 0. References and pointers are valid until the next add or remove.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laptime {

struct MemoryBlock {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int64_t born_ns = 0;
  std::uint32_t track = 0, row = 0;  // of the allocation; of the role's mark for a block from before
  std::uint32_t role = 0;            // string id, 0 none
  bool from_before = false;          // was there when its role was told, without an allocation
};

class LiveBlocks {
 public:
  LiveBlocks() : slots_(kFirstSlots) {}

  MemoryBlock* find(std::uint64_t address) {
    MemoryBlock& slot = slots_[slot_of(address)];
    return slot.address == 0 ? nullptr : &slot;
  }
  const MemoryBlock* find(std::uint64_t address) const { return const_cast<LiveBlocks*>(this)->find(address); }
  // Contract: nothing lives at the address.
  MemoryBlock& add(const MemoryBlock& block) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    ++size_;
    return slots_[slot_of(block.address)] = block;
  }
  // Contract: `block` is what find gave. Those behind it move up, so that no search ends early.
  void remove(MemoryBlock* block) {
    const std::size_t mask = slots_.size() - 1;
    auto hole = static_cast<std::size_t>(block - slots_.data());
    for (std::size_t at = (hole + 1) & mask; slots_[at].address != 0; at = (at + 1) & mask) {
      const std::size_t home = home_of(slots_[at].address);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].address = 0;
    --size_;
  }
  std::size_t size() const { return size_; }
  // In no particular order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const MemoryBlock& slot : slots_)
      if (slot.address != 0) visit(slot);
  }

 private:
  static constexpr std::size_t kFirstSlots = 256;

  std::size_t home_of(std::uint64_t address) const { return (address * 0x9E3779B97F4A7C15ull >> 20) & (slots_.size() - 1); }
  std::size_t slot_of(std::uint64_t address) const {
    std::size_t at = home_of(address);
    while (slots_[at].address != 0 && slots_[at].address != address) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    const std::vector<MemoryBlock> old = std::exchange(slots_, std::vector<MemoryBlock>(slots_.size() * 2));
    for (const MemoryBlock& block : old)
      if (block.address != 0) slots_[slot_of(block.address)] = block;
  }

  std::vector<MemoryBlock> slots_;
  std::size_t size_ = 0;
};

}  // namespace laptime
