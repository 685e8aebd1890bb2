// The lines whose ops the stepping thread waits for while it is in a call of a compiled function.
//
// Such a call runs ops of many lines, on the framework's threads. The program's own line is the one
// with the call. At each moment of the wait, the time is divided among the ops that run.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ops/attribution.h"
#include "trace/run/run.h"
#include "trace/steps/steps.h"

namespace laptime {

struct AwaitedLine {
  std::uint32_t phase;      // Run::strings
  std::uint32_t caller;     // Run::call_sites: of the call, or of the wait for its result
  std::uint32_t call_site;  // of the ops
  double ns;                // sum over the phase's steps that count and have recorded ops
};

// Only with known callers and call sites; each combination once.
std::vector<AwaitedLine> find_awaited_lines(const Run& run, const std::vector<Step>& steps,
                                            const OpAttribution& ops);

}  // namespace laptime
