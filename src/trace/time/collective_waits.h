// When a thread waits for a collective on another thread: in the gap between its own spans in which
// the collective ends. If the collective continues after a gap, the gap was other work.
//
// A backend first wakes the waiting thread and then records the end. On a busy processor this takes
// a few ms. So a collective may end shortly after the gap in which it was awaited. It counts as
// awaited in that gap, and as done at the gap's end, if no other collective ends there and the gap
// is at least twice as long as the delay.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "trace/run/intervals.h"

namespace laptime {

class CollectiveWaits {
 public:
  // `own`: when the thread was in its own spans.
  explicit CollectiveWaits(Intervals own) : own_(std::move(own)) {}

  // Contract: all collectives are noted before the first find.
  void note(const Interval& collective);
  // Empty, at the collective's end: the thread does not wait for it.
  Interval find(const Interval& collective) const;

 private:
  std::size_t own_after(std::int64_t time) const;

  Intervals own_;
  std::unordered_set<std::size_t>
      explained_;  // gaps, by the own interval after them, in which a collective ends
};

}  // namespace laptime
