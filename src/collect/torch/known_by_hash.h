// What a thread remembers of texts and inputs. Their 64-bit hash alone identifies them.
//
// Assumption: a program has at most 65,536 kinds of either. Then two of them share a hash in one of
// ten thousand million programs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "collect/torch/remembered.h"

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
  // Null: not met.
  const Value* find(std::uint64_t hash) {
    const Entry* const entry = entries_.find({hash});
    return entry == nullptr ? nullptr : &entry->value;
  }
  bool is_full() const { return entries_.size() >= kMost; }
  // Contract: not met, and not full. Without memory for it, it is met again.
  void add(std::uint64_t hash, const Value& value) { entries_.add({hash, value}); }

 private:
  struct Entry {
    struct Key {
      std::uint64_t value;
      std::uint64_t hash() const { return std::rotl(value, 32); }
      bool operator==(const Key&) const = default;
    };
    std::uint64_t hash = 0;  // 0: free
    Value value{};

    bool is_free() const { return hash == 0; }
    Key key() const { return {hash}; }
  };

  Remembered<Entry, 2 * kMost> entries_;  // at most every second slot is taken
};

}  // namespace laptime::torch
