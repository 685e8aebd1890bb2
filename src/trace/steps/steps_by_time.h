// Finds the step of a process at a moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/steps/steps.h"

namespace laptime {

class StepsByTime {
 public:
  explicit StepsByTime(std::vector<Step> steps) : steps_(std::move(steps)) {
    std::sort(steps_.begin(), steps_.end(),
              [](const Step& a, const Step& b) { return a.start_ns < b.start_ns; });
  }
  // Of overlapping steps the one that began last. Null between steps.
  const Step* find(std::int64_t time) const {
    auto next = std::upper_bound(steps_.begin(), steps_.end(), time,
                                 [](std::int64_t t, const Step& s) { return t < s.start_ns; });
    if (next == steps_.begin()) return nullptr;
    const Step& step = *--next;
    return time < step.start_ns + step.wall_ns ? &step : nullptr;
  }

 private:
  std::vector<Step> steps_;
};

}  // namespace laptime
