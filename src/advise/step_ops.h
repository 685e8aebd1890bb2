// What ops took in the recorded steps of a lap, on the thread that steps, by name, line and the
// optimizer call around them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/lap.h"
#include "trace/analysis.h"

namespace laptime {

struct StepOp {
  std::string name;
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  std::string within;  // "Optimizer.zero_grad#SGD.zero_grad"; empty: no optimizer's
  bool backward = false;
  double calls = 0, self_ns = 0, total_ns = 0;  // a recorded step
  double fast_ns = 0;  // self_ns, had all its calls been as fast as its fastest tenth
};

std::vector<StepOp> ops_in_steps(const Analysis& analysis, const Lap& lap);

}  // namespace laptime
