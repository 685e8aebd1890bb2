// The addresses of live memory blocks: a hash table from address to block number. It is made for
// tens of millions of allocations and releases.
//
// Contract: addresses are not 0. Pointers are valid until the next add or remove.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace laptime {

class LiveBlocks {
 public:
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t block = 0;
  };

  LiveBlocks() : slots_(kFirstSlots) {}

  // Null: no live block has this address.
  Entry* find(std::uint64_t address) {
    Entry& slot = slots_[slot_of(address)];
    return slot.address == 0 ? nullptr : &slot;
  }
  // Contract: no live block has this address.
  void add(std::uint64_t address, std::uint32_t block) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    ++size_;
    slots_[slot_of(address)] = {address, block};
  }
  // Contract: `entry` came from find. Later entries move up, so that no search ends early.
  void remove(Entry* entry) {
    const std::size_t mask = slots_.size() - 1;
    auto hole = static_cast<std::size_t>(entry - slots_.data());
    for (std::size_t at = (hole + 1) & mask; slots_[at].address != 0; at = (at + 1) & mask) {
      const std::size_t home = home_of(slots_[at].address);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].address = 0;
    --size_;
  }

 private:
  static constexpr std::size_t kFirstSlots = 256;

  std::size_t home_of(std::uint64_t address) const {
    return (address * 0x9E3779B97F4A7C15ull >> 20) & (slots_.size() - 1);
  }
  std::size_t slot_of(std::uint64_t address) const {
    std::size_t at = home_of(address);
    while (slots_[at].address != 0 && slots_[at].address != address)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    const std::vector<Entry> old = std::exchange(slots_, std::vector<Entry>(slots_.size() * 2));
    for (const Entry& entry : old)
      if (entry.address != 0) slots_[slot_of(entry.address)] = entry;
  }

  std::vector<Entry> slots_;
  std::size_t size_ = 0;
};

}  // namespace laptime
