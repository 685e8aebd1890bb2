#include "analyze/recorded_part.h"

#include <fmt/format.h>

#include "analyze/steps.h"

namespace laptime {

std::string from_recorded(const Analysis& analysis) {
  std::size_t told = 0, recorded = 0;
  for (const Step& step : analysis.steps()) {
    told += step.ops != StepOps::not_told;
    recorded += step.ops == StepOps::recorded;
  }
  return told == 0 ? "" : fmt::format(", from {} of {} steps", recorded, told);
}

}  // namespace laptime
