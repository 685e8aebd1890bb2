// Launches that a record of the GPU's is still to answer, so that it is known whether work is under
// way.
//
// One bit a number of CUPTI's. Assumption: fewer than kWindow launches are awaited at a time, and
// numbers follow each other. Consequence: where more are, some are taken for answered.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace laptime::cuda {

class AwaitedLaunches {
 public:
  static constexpr std::uint32_t kWindow = 1u << 18;

  // HOT. Before the launch: its record may be there before its call returns.
  void await(std::uint32_t number) {
    word(number).fetch_or(bit(number), std::memory_order_relaxed);
  }
  // A record came, or none will. Of a launch that nobody awaits: nothing.
  void done(std::uint32_t number) {
    if (is_awaited(number)) word(number).fetch_and(~bit(number), std::memory_order_relaxed);
  }
  bool is_awaited(std::uint32_t number) const {
    return words_[index(number)].load(std::memory_order_relaxed) & bit(number);
  }
  std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const auto& word : words_)
      sum += static_cast<std::uint64_t>(std::popcount(word.load(std::memory_order_relaxed)));
    return sum;
  }
  void give_up() {
    for (auto& word : words_) word.store(0, std::memory_order_relaxed);
  }

 private:
  static std::uint32_t index(std::uint32_t number) { return number % kWindow / 64; }
  static std::uint64_t bit(std::uint32_t number) { return std::uint64_t{1} << number % 64; }
  std::atomic<std::uint64_t>& word(std::uint32_t number) { return words_[index(number)]; }

  std::array<std::atomic<std::uint64_t>, kWindow / 64> words_{};
};

}  // namespace laptime::cuda
