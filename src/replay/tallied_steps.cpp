#include "replay/tallied_steps.h"

#include <algorithm>

namespace laptime::replay {

std::vector<std::vector<const Step*>> tallied_steps(const Run& run, std::span<const Step> steps) {
  std::vector<std::vector<const Step*>> by_process(run.processes.size());
  for (const Step& step : steps) by_process[run.tracks[step.track].process].push_back(&step);
  for (auto& list : by_process)
    std::stable_sort(list.begin(), list.end(), [](const Step* a, const Step* b) {
      return a->start_ns + a->wall_ns < b->start_ns + b->wall_ns;
    });
  return by_process;
}

}  // namespace laptime::replay
