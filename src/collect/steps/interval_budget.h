// Which intervals of time are recorded in a program that makes no steps: as many as the budget
// allows.
//
// Assumption: there is nothing to compare a recorded interval with, so what it costs is taken to be
// a fifth of its time, or what its events should have cost if that is more. Consequence: where
// recording is cheaper than that, less is recorded than might be. Times are in any one unit.
#pragma once

#include <cstdint>

namespace laptime::steps {

// What passed since the last turn of the clock.
struct Turn {
  double wall;
  bool recorded;
  double counted = 0;  // what its events should have cost
  double others = 0;   // what other engines spent of the same budget
};

class IntervalBudget {
 public:
  // `turns_before`: of the clock, until the first interval may begin; with 0 it begins at once, and
  // lasts kFirst turns whatever it costs.
  IntervalBudget(double share, unsigned turns_before)
      : share_(share), turns_before_(turns_before), least_(turns_before == 0 ? kFirst : 0) {}

  // With the same share: nothing spent, nothing owed, and the first interval may begin at the next
  // turn.
  IntervalBudget anew() const { return {share_, 1}; }

  bool first() const { return turns_before_ == 0; }

  // The clock turned: whether the time until the next turn is recorded. `switching`: what it takes
  // to switch recording on and off once.
  bool after(const Turn& turn, double switching);
  // Recording ends between two turns.
  void end(const Turn& turn, double switching);

  double spent() const { return spent_; }

  static constexpr double kCost = 0.2;    // of an interval, until its events say more
  static constexpr double kLeast = 0.25;  // of the budget, whatever others spend
  static constexpr unsigned kBurst = 2;   // turns in a row, and no fewer
  static constexpr unsigned kFirst = 4;   // so many where recording begins at once

 private:
  void pay(const Turn& turn);

  double share_;
  unsigned turns_before_;
  unsigned least_;  // turns until the interval may end
  double allowed_ = 0, spent_ = 0;
};

}  // namespace laptime::steps
