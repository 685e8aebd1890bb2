// What a thread remembers of texts and inputs. Their 64-bit hash alone identifies them.
//
// Assumption: a program has at most 65,536 kinds of either. Then two of them share a hash in one of
// ten thousand million programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

namespace laptime::torch {

class WordHash {
 public:
  explicit WordHash(std::uint64_t seed) : value_(seed + kOdd) {}

  // Uses both halves of the product: each bit of the word changes half of the result's bits.
  void word(std::uint64_t word) {
    __extension__ using Product = unsigned __int128;
    const Product product = static_cast<Product>(value_ ^ word) * kOdd;
    value_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;

  std::uint64_t value_;
};

inline std::uint64_t hash_of(std::string_view text) {
  WordHash hash(text.size());
  while (text.size() > sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    hash.word(word);
    text.remove_prefix(sizeof word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  hash.word(rest);
  return hash.value();
}

// Grows instead of forgetting: what each step meets again would have to be made again.
template <typename Value, std::size_t kMost>
class KnownByHash {
 public:
  KnownByHash() = default;
  KnownByHash(const KnownByHash&) = delete;
  ~KnownByHash() { delete[] entries_; }

  // Null: unknown.
  const Value* find(std::uint64_t hash) const {
    if (entries_ == nullptr) [[unlikely]]
      return nullptr;
    const Entry& entry = entries_[slot_of(hash)];
    return entry.hash == hash ? &entry.value : nullptr;
  }
  bool is_full() const { return size_ >= kMost; }
  // Contract: `hash` is unknown, and the table is not full. If memory is short, nothing is added.
  void add(std::uint64_t hash, const Value& value) {
    if (2 * (size_ + 1) > capacity_ && !grow()) return;
    entries_[slot_of(hash)] = {hash, value};
    ++size_;
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;  // 0: free
    Value value{};
  };
  static constexpr std::size_t kFirst = 512;

  // The slot of `hash`, or the free slot where it belongs.
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
