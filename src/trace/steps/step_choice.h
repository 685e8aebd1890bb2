// Selects steps and computes their mean.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "trace/steps/steps.h"

namespace laptime {

// `TimedStep` has a member `step`.
template <typename TimedStep, typename Wanted>
std::vector<const TimedStep*> select_steps(const std::vector<const TimedStep*>& steps,
                                           Wanted wanted) {
  std::vector<const TimedStep*> chosen;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(chosen),
               [&](const TimedStep* s) { return wanted(*s); });
  return chosen;
}

// Separates steps of usual length from slow ones: a mean over both would mix two kinds of steps.
template <typename TimedStep>
struct UsualAndSlow {
  explicit UsualAndSlow(const std::vector<const TimedStep*>& steps)
      : usual(select_steps(steps,
                           [](const TimedStep& s) { return s.step.kind == StepKind::steady; })),
        slow(select_steps(steps,
                          [](const TimedStep& s) { return s.step.kind != StepKind::steady; })) {}

  std::vector<const TimedStep*> usual, slow;
};

// 0 if there are none.
template <typename TimedStep>
double mean_wall_ns(const std::vector<const TimedStep*>& steps) {
  double sum = 0;
  for (const TimedStep* s : steps) sum += static_cast<double>(s->step.wall_ns);
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

}  // namespace laptime
