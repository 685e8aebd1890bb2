// What the clock hears of steps: that one ended, and how long they take. Told on the thread that
// steps, heard on the clock's.
//
// Assumption: one thread steps at a time. Where two do, a length may be wrong, never the count.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laptime::steps {

class StepPulse {
 public:
  // HOT. What was decided on before is seen by who counts after: both are in one order with the
  // other side's stores.
  void count() { count_.fetch_add(1); }
  // Right after that, when all that belongs to the step's end is done.
  void ended(std::uint64_t now) {
    if (const std::uint64_t before = last_.exchange(now, std::memory_order_relaxed); before != 0)
      lengths_[next_.fetch_add(1, std::memory_order_relaxed) % kKept].store(
          now - before, std::memory_order_relaxed);
  }

  // How long steps take is to be learnt anew.
  void forget_lengths() {
    last_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
  }

  std::uint64_t counted() const { return count_.load(); }
  std::uint64_t last_end() const { return last_.load(std::memory_order_relaxed); }

  // From end to end, of the last steps; 0: of fewer than two nothing is known.
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
