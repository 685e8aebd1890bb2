// When a thread waits for a collective on another thread: in the gap between its own spans in which
// the collective ends, for it may have gone on because of that. While a collective goes on beyond a
// gap, the gap was other work. But a backend first wakes who waits and then notes the end, which on
// a busy processor takes a few ms: a collective that ends soon after a gap at least twice as long
// as that, in which no other ends, was waited for in it, and done where the gap ends.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "trace/run/intervals.h"

namespace laptime {

class CollectiveWaits {
 public:
  // `own`: when the thread was in something of its own.
  explicit CollectiveWaits(Intervals own) : own_(std::move(own)) {}

  // Contract: told of all collectives before any is asked about.
  void note(const Interval& collective);
  // Empty, at the collective's end: it is not waited for.
  Interval find(const Interval& collective) const;

 private:
  std::size_t own_after(std::int64_t time) const;

  Intervals own_;
  std::unordered_set<std::size_t>
      explained_;  // gaps, by the own interval after them, in which a collective ends
};

}  // namespace laptime
