// What the clock knows of steps: that one ended, and how long they take. The training thread writes
// it, the clock's thread reads it.
//
// Assumption: one thread makes steps at a time. If two do, a length may be wrong, but never the
// count.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laptime::steps {

class StepPulse {
 public:
  // HOT. Sequentially consistent: the caller's later loads see every decision whose maker did not
  // see this count.
  void count() { count_.fetch_add(1); }
  // Contract: called right after count(), when all work of the step's end is done.
  void ended(std::uint64_t now) {
    if (const std::uint64_t before = last_.exchange(now, std::memory_order_relaxed); before != 0)
      lengths_[next_.fetch_add(1, std::memory_order_relaxed) % kKept].store(
          now - before, std::memory_order_relaxed);
  }

  // The length of steps must be measured again.
  void forget_lengths() {
    last_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
  }

  std::uint64_t counted() const { return count_.load(); }
  std::uint64_t last_end() const { return last_.load(std::memory_order_relaxed); }

  // Median length of the last steps, from end to end. 0 for fewer than two steps.
  std::uint64_t median() const {
    std::array<std::uint64_t, kKept> sorted;
    std::transform(lengths_.begin(), lengths_.end(), sorted.begin(),
                   [](const auto& length) { return length.load(std::memory_order_relaxed); });
    const std::size_t known = std::min(next_.load(std::memory_order_relaxed), kKept);
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(known),
               middle = sorted.begin() + static_cast<std::ptrdiff_t>(known / 2);
    std::nth_element(sorted.begin(), middle, end);
    return known == 0 ? 0 : *middle;
  }

 private:
  static constexpr std::size_t kKept = 21;

  std::atomic<std::uint64_t> count_{0}, last_{0};
  std::atomic<std::size_t> next_{0};
  std::array<std::atomic<std::uint64_t>, kKept> lengths_{};
};

}  // namespace laptime::steps
