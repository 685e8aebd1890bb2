// A hash table of what a thread remembers. It grows, so that nothing that each step meets is
// forgotten. It forgets everything when it has too many entries.
//
// `Entry`: a default-constructed one is free; it has `key()`. `Key` has `hash()` and operator==.
// Contract: references are valid until the next add or clear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace laptime::torch {

template <typename Entry, std::size_t kMost = 1u << 15>
class Remembered {
 public:
  using Key = typename Entry::Key;

  // Null: not remembered.
  Entry* find(const Key& key) {
    if (slots_ == nullptr) [[unlikely]]
      return nullptr;
    Entry& slot = slots_[slot_of(key)];
    return slot.is_free() ? nullptr : &slot;
  }
  // Null: no memory. Contract: the key is not remembered.
  Entry* add(const Entry& entry) {
    if (2 * (size_ + 1) > capacity_) make_room();
    if (slots_ == nullptr) return nullptr;
    ++size_;
    return &(slots_[slot_of(entry.key())] = entry);
  }
  std::size_t size() const { return size_; }
  void clear() {
    for (std::size_t i = 0; i < capacity_; ++i) slots_[i] = {};
    size_ = 0;
  }

 private:
  static constexpr std::size_t kFirst = 256;

  // The slot of `key`, or the free slot where it belongs.
  std::size_t slot_of(const Key& key) const {
    const std::size_t mask = capacity_ - 1;
    std::size_t at = key.hash() >> 32 & mask;
    while (!slots_[at].is_free() && !(slots_[at].key() == key)) at = (at + 1) & mask;
    return at;
  }
  void make_room() {
    const std::size_t before = capacity_, capacity = before == 0 ? kFirst : 2 * before;
    std::unique_ptr<Entry[]> grown(capacity <= kMost ? new (std::nothrow) Entry[capacity]
                                                     : nullptr);
    if (!grown) return clear();
    std::swap(slots_, grown);
    capacity_ = capacity;
    for (std::size_t i = 0; i < before; ++i)
      if (!grown[i].is_free()) slots_[slot_of(grown[i].key())] = grown[i];
  }

  std::unique_ptr<Entry[]> slots_;
  std::size_t capacity_ = 0, size_ = 0;
};

// For hashes of keys: spreads all bits into the upper ones.
inline std::uint64_t spread(std::uint64_t first, std::uint64_t second = 0) {
  return (first ^ first >> 32 ^ second) * 0x9E37'79B9'7F4A'7C15;
}

}  // namespace laptime::torch
