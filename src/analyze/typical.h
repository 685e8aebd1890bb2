// The steps that a typical one is made of: the steady ones; where there are none, all but warmup and those that compile; else all.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "analyze/steps.h"

namespace laptime {

// `Lap` has a member `step`.
template <typename Lap, typename Wanted>
std::vector<const Lap*> select_steps(const std::vector<const Lap*>& laps, Wanted wanted) {
  std::vector<const Lap*> chosen;
  std::copy_if(laps.begin(), laps.end(), std::back_inserter(chosen), [&](const Lap* lap) { return wanted(*lap); });
  return chosen;
}

template <typename Lap>
std::vector<const Lap*> typical_steps(const std::vector<const Lap*>& laps) {
  std::vector<const Lap*> chosen = select_steps(laps, [](const Lap& lap) { return lap.step.kind == StepKind::steady; });
  if (chosen.empty()) chosen = select_steps(laps, [](const Lap& lap) { return is_typical(lap.step.kind); });
  return chosen.empty() ? laps : chosen;
}

// Contract: there are some.
template <typename Lap>
double mean_wall_ns(const std::vector<const Lap*>& laps) {
  double sum = 0;
  for (const Lap* lap : laps) sum += static_cast<double>(lap->step.wall_ns);
  return sum / static_cast<double>(laps.size());
}

}  // namespace laptime
