#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "analyze/percentile.h"
#include "analyze/run_facts.h"

namespace laptime {

namespace {

constexpr double kMostOfRun = 0.1;
constexpr double kMostOfStep = 0.3;

std::optional<double> added_to_step(const Evidence& evidence) {
  std::vector<std::int64_t> recorded, rested;
  for (const HostStep& s : evidence.lap().steps()) {
    if (s.step.ops == StepOps::recorded) recorded.push_back(s.step.wall_ns);
    if (s.step.ops == StepOps::rested) rested.push_back(s.step.wall_ns);
  }
  if (recorded.size() < kFewestSteps || rested.size() < kFewestSteps) return std::nullopt;
  if (take_percentile(recorded, 0.25) <= take_percentile(rested, 0.75)) return std::nullopt;  // steps differ as much among themselves
  return static_cast<double>(take_percentile(recorded, 0.5)) / static_cast<double>(take_percentile(rested, 0.5)) - 1;
}

std::vector<Finding> find_profiler_bias(const Evidence& evidence) {
  const auto added = added_to_step(evidence);
  const auto cost = own_cost_ns(evidence.run());
  const double share = cost && evidence.run().end_ns > 0 ? *cost / static_cast<double>(evidence.run().end_ns) : 0;
  if (share < kMostOfRun && added.value_or(0) < kMostOfStep) return {};
  const std::string seen = added.value_or(0) >= kMostOfStep ? fmt::format("Steps whose ops are recorded take {} longer than others", percent(*added))
                                                            : fmt::format("Recording took {} of the run", percent(share));
  return {{"", 0, std::nullopt, std::nullopt, Confidence::high, fmt::format("{}: what tables say of Python and of short ops is too large.", seen),
           "laptime run --no-lines, or --no-ops, or a smaller --budget; --steps 100:120 to look at a few steps only"}};
}

}  // namespace

const Rule kProfilerBias{
    "profiler-bias",
    "laptime itself takes too much of the time",
    "recording took at least a tenth of the run, or recorded steps are at least 30 % longer than those whose ops rested, and not because steps differ as much.",
    "it takes less: its cost is at the end of every report.",
    "`laptime run --no-lines`, `--no-ops` or a smaller `--budget`; `--steps 100:120` records a few steps in full.",
    "none: it is about what the other numbers are worth.",
    find_profiler_bias};

}  // namespace laptime
