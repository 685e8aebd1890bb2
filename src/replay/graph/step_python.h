// The program's own Python in each step, from tallies: how many lines ran, and the time of those
// that work on a batch.
//
// A line works on a batch if it runs no op and takes long each time: a call of NumPy, not a loop in
// Python. Functions that were timed as a whole have no lines.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "trace/analysis.h"
#include "trace/run/run.h"
#include "trace/steps/steps.h"

namespace laptime::replay {

// Steps in the numbering of tallies: by process, in the order of their ends. `steps`: all of the
// run. They outlive the result.
std::vector<std::vector<const Step*>> tallied_steps(const Run& run, std::span<const Step> steps);

struct StepPython {
  double hits = 0;
  double batch_ns = 0;
};

class StepPythons {
 public:
  explicit StepPythons(const Analysis& analysis);

  // Null: no line was timed in that step.
  const StepPython* find(const Step& step) const {
    const auto it = steps_.find({step.track, step.start_ns});
    return it == steps_.end() ? nullptr : &it->second;
  }

 private:
  std::map<std::pair<std::uint32_t, std::int64_t>, StepPython> steps_;  // track, start of the step
};

}  // namespace laptime::replay
