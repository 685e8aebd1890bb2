#include "collect/steps/interval_budget.h"

#include <algorithm>

namespace laptime::steps {

// An interval never costs more than the time it took.
void IntervalBudget::pay(const Turn& turn) {
  spent_ += std::min(std::max(turn.counted, kCost * turn.wall), turn.wall);
}

bool IntervalBudget::after(const Turn& turn, double switching) {
  const double share = share_ * turn.wall;
  allowed_ += std::max(share - turn.others, kLeast * share);
  if (turns_before_ > 0) --turns_before_;
  if (turn.recorded) {
    pay(turn);
    if (least_ > 0) --least_;
    const bool goes_on = least_ > 0 || spent_ < allowed_;
    if (!goes_on) spent_ += switching;
    return goes_on;
  }
  const bool begins =
      turns_before_ == 0 && spent_ + kBurst * kCost * turn.wall + switching <= allowed_;
  least_ = begins ? kBurst : 0;
  return begins;
}

void IntervalBudget::end(const Turn& turn, double switching) {
  if (!turn.recorded) return;
  pay(turn);
  spent_ += switching;
}

}  // namespace laptime::steps
