// References to steps of an analysis, read like a vector of steps.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>

#include "trace/time/mean_step.h"

namespace laptime {

class StepList {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = HostStep;
    using difference_type = std::ptrdiff_t;
    using pointer = const HostStep*;
    using reference = const HostStep&;

    Iterator() = default;
    explicit Iterator(const HostStep* const* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return *at_; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    friend auto operator<=>(Iterator, Iterator) = default;

   private:
    const HostStep* const* at_ = nullptr;
  };

  // `steps` outlives it.
  explicit StepList(const HostSteps& steps) : steps_(&steps) {}
  Iterator begin() const { return Iterator(steps_->data()); }
  Iterator end() const { return Iterator(steps_->data() + steps_->size()); }
  std::size_t size() const { return steps_->size(); }
  const HostStep& front() const { return *steps_->front(); }
  const HostStep& back() const { return *steps_->back(); }
  const HostStep& operator[](std::size_t i) const { return *(*steps_)[i]; }

 private:
  const HostSteps* steps_;
};

}  // namespace laptime
