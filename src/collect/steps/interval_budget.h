// Decides which intervals of time the budget allows to record in a program that makes no steps.
//
// Assumption: there is nothing to compare a recorded interval with. So its cost is estimated as a
// fifth of its time, or as the cost of its events if that is more. Consequence: if recording is
// cheaper than the estimate, less is recorded than the budget allows. All times have the same unit,
// whichever it is.
#pragma once

#include <cstdint>

namespace laptime::steps {

// The time since the last turn of the clock.
struct Turn {
  double wall;
  bool recorded;
  double counted = 0;  // estimated cost of its events
  double others = 0;   // what other engines spent of the same budget
};

class IntervalBudget {
 public:
  // `turns_before`: turns of the clock until the first interval may begin. With 0 it begins at once
  // and lasts kFirst turns, whatever it costs.
  IntervalBudget(double share, unsigned turns_before)
      : share_(share), turns_before_(turns_before), least_(turns_before == 0 ? kFirst : 0) {}

  // Returns a budget with the same share that has spent nothing. The first interval may begin at
  // the next turn.
  IntervalBudget restarted() const { return {share_, 1}; }

  bool first() const { return turns_before_ == 0; }

  // Called at each turn of the clock. Returns whether to record until the next turn. `switching`:
  // the time to switch recording on and off once.
  bool after(const Turn& turn, double switching);
  // Recording ends between two turns.
  void end(const Turn& turn, double switching);

  double spent() const { return spent_; }

  static constexpr double kCost = 0.2;  // share of an interval's time, until its events cost more
  // share of the budget that is always left, whatever others spend
  static constexpr double kLeast = 0.25;
  static constexpr unsigned kBurst = 2;  // least turns in a row
  static constexpr unsigned kFirst = 4;  // least turns if recording begins at once

 private:
  void pay(const Turn& turn);

  double share_;
  unsigned turns_before_;
  unsigned least_;  // turns until the interval may end
  double allowed_ = 0, spent_ = 0;
};

}  // namespace laptime::steps
