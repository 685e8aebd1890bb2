// Limits the time that the engines may cost: a bucket that fills with a share of the program's
// usable time and is emptied by events.
//
// Usable time is elapsed time without waits for a processor that other programs used. A share of
// wall time would allow more events on a busy machine: the budget would fill while the program
// waits, although it does no work.
//
// Assumption: the cost of an event is known (calibrated at start). Consequence: over any interval
// the engines cost at most the share plus one bucket, on a busy machine too. The bucket is small,
// so a quiet hour does not pay for a slow minute.
#pragma once

#include <atomic>
#include <cstdint>

namespace laptime::python {

class Budget {
 public:
  // `share` of the usable time; negative: no limit.
  void start(double share, double ticks_per_second, std::uint64_t now);
  bool limited() const { return share_ >= 0; }
  double share() const { return share_; }

  // Pays for `events`. False if they cost more than the bucket has.
  bool spend(std::int64_t events, double ticks_per_event, std::uint64_t now);
  // All ticks paid so far. Any thread may call, without the GIL.
  std::uint64_t paid() const { return paid_.load(std::memory_order_relaxed); }

 private:
  double share_ = -1;
  double balance_ = 0;   // ticks
  double capacity_ = 0;  // ticks
  double ticks_per_second_ = 1;
  std::uint64_t filled_at_ = 0;
  std::atomic<std::uint64_t> paid_{0};
};

}  // namespace laptime::python
