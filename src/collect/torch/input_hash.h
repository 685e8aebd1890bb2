// A hash of an op's inputs, made while they are read, and what a thread remembers by it.
//
// Inputs are taken for the same when their 64-bit hashes are. Assumption: a program has at most 65,535 kinds of them, of which two share
// a hash in one program of ten thousand million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace laptime::torch {

class InputHash {
 public:
  explicit InputHash(std::uint64_t seed) : value_(seed + kOdd) {}

  // Both halves of a product: each bit of the word moves half of the result's.
  void word(std::int64_t word) {
    __extension__ using Product = unsigned __int128;
    const Product product = static_cast<Product>(value_ ^ static_cast<std::uint64_t>(word)) * kOdd;
    value_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  bool has_room() const { return true; }
  void end_input() {}
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;

  std::uint64_t value_;
};

// The inputs that a thread met, by hash. A program meets a few hundred kinds in every step: all of them have room, as one that was
// forgotten would have to be written out as text again.
class KnownInputs {
 public:
  struct Entry {
    std::uint64_t hash = 0;  // 0: free
    std::uint16_t args = 0;  // record::add_args; 0: not told
  };
  // More than a recording can tell apart.
  static constexpr std::size_t kMost = 1u << 16;

  KnownInputs() = default;
  KnownInputs(const KnownInputs&) = delete;
  ~KnownInputs() { delete[] entries_; }

  // Null: not met.
  const Entry* find(std::uint64_t hash) const {
    if (entries_ == nullptr) return nullptr;
    const Entry& entry = entries_[slot_of(hash)];
    return entry.hash == hash ? &entry : nullptr;
  }
  bool is_full() const { return size_ >= kMost; }
  // Contract: not met, and not full. Without memory for it, it is met again.
  void add(std::uint64_t hash, std::uint16_t args) {
    if (2 * (size_ + 1) > capacity_ && !grow()) return;
    entries_[slot_of(hash)] = {hash, args};
    ++size_;
  }

 private:
  static constexpr std::size_t kFirst = 512;

  // Where it is, or would be.
  std::size_t slot_of(std::uint64_t hash) const {
    const std::size_t mask = capacity_ - 1;
    std::size_t at = hash & mask;
    while (entries_[at].hash != 0 && entries_[at].hash != hash) at = (at + 1) & mask;
    return at;
  }
  bool grow() {
    const std::size_t before = capacity_, capacity = before == 0 ? kFirst : 2 * before;
    Entry* const grown = new (std::nothrow) Entry[capacity];
    if (grown == nullptr) return false;
    Entry* const old = entries_;
    entries_ = grown;
    capacity_ = capacity;
    for (std::size_t i = 0; i < before; ++i)
      if (old[i].hash != 0) entries_[slot_of(old[i].hash)] = old[i];
    delete[] old;
    return true;
  }

  Entry* entries_ = nullptr;
  std::size_t capacity_ = 0, size_ = 0;
};

}  // namespace laptime::torch
