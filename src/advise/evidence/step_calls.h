// Calls of compiled functions, and waits for their results, in the steps of the main phase. They
// are recorded in every step, on the stepping thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/evidence/main_phase.h"
#include "format/record.h"
#include "trace/analysis.h"

namespace laptime {

// Those with the same name and line.
struct StepCall {
  std::string name;  // the function, or what waits: "float"
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  double calls = 0, ns = 0;  // per step
};

// By falling time. `kind`: SpanKind::dispatch or SpanKind::wait.
std::vector<StepCall> calls_in_steps(const Analysis& analysis, const MainPhase& main_phase,
                                     SpanKind kind);

}  // namespace laptime
