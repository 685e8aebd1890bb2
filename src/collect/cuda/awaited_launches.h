// Launches that have no record of the GPU yet, to know whether work is under way.
//
// One bit for each of CUPTI's numbers. Assumption: fewer than kWindow launches are awaited at a
// time, and their numbers are consecutive. Consequence: if there are more, some count as answered.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace laptime::cuda {

class AwaitedLaunches {
 public:
  static constexpr std::uint32_t kWindow = 1u << 18;

  // HOT. Called before the launch, because its record may arrive before its call returns.
  void await(std::uint32_t number) {
    word(number).fetch_or(bit(number), std::memory_order_relaxed);
  }
  // A record came, or none will. Ignores launches that are not awaited.
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
