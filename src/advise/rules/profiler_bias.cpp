#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <span>

#include "advise/evidence/machine.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/percentile.h"
#include "trace/run_cost.h"

namespace laptime {

namespace {

constexpr double kMostOfRun = 0.1;
constexpr double kMostOfStep = 0.3;

constexpr std::size_t kNeighbours = 5;
constexpr std::size_t kFewestSwitches = 2;

using Steps = std::span<const HostStep>;

std::vector<Steps> runs_of(Steps steps) {
  std::vector<Steps> runs;
  while (!steps.empty()) {
    const auto other = std::find_if(steps.begin(), steps.end(), [&](const HostStep& s) {
      return s.step.ops != steps.front().step.ops;
    });
    const auto length = static_cast<std::size_t>(other - steps.begin());
    runs.push_back(steps.first(length));
    steps = steps.subspan(length);
  }
  return runs;
}

double median_wall(Steps steps) {
  std::vector<std::int64_t> walls;
  for (const HostStep& s : steps) walls.push_back(s.step.wall_ns);
  return static_cast<double>(take_percentile(walls, 0.5));
}

// At each change between recorded and resting steps: the ratio of their times, from the steps right
// before and after. The load by other programs is about the same on both sides.
std::vector<double> ratios_at_switches(const MainPhase& main_phase) {
  const std::vector<HostStep> steps(main_phase.steps().begin(), main_phase.steps().end());
  std::vector<double> ratios;
  const std::vector<Steps> runs = runs_of(steps);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const Steps before = runs[i - 1].last(std::min(kNeighbours, runs[i - 1].size())),
                after = runs[i].first(std::min(kNeighbours, runs[i].size()));
    const StepOps earlier = before.front().step.ops, later = after.front().step.ops;
    if (earlier == StepOps::recorded && later == StepOps::rested)
      ratios.push_back(median_wall(before) / median_wall(after));
    if (earlier == StepOps::rested && later == StepOps::recorded)
      ratios.push_back(median_wall(after) / median_wall(before));
  }
  return ratios;
}

// The lower bound of the median with 95 % confidence, by the order of the values. With few values
// it is the least of them.
double least_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double at = std::floor((count - 1.96 * std::sqrt(count)) / 2);
  return values[at > 0 ? static_cast<std::size_t>(at) : 0];
}

std::optional<double> added_to_step(const Evidence& evidence) {
  if (find_machine(evidence.run(), evidence.process()).is_busy()) return std::nullopt;
  std::vector<std::int64_t> recorded, rested;
  for (const HostStep& s : evidence.main_phase().steps()) {
    if (s.step.ops == StepOps::recorded) recorded.push_back(s.step.wall_ns);
    if (s.step.ops == StepOps::rested) rested.push_back(s.step.wall_ns);
  }
  if (recorded.size() < kFewestSteps || rested.size() < kFewestSteps) return std::nullopt;
  if (take_percentile(recorded, 0.25) <= take_percentile(rested, 0.75))
    return std::nullopt;  // resting steps differ as much among themselves
  std::vector<double> ratios = ratios_at_switches(evidence.main_phase());
  if (ratios.size() < kFewestSwitches) return std::nullopt;
  if (least_median(ratios) <= 1) return std::nullopt;  // other programs' load changes as fast
  const double overall = static_cast<double>(take_percentile(recorded, 0.5)) /
                         static_cast<double>(take_percentile(rested, 0.5));
  return std::min(overall, take_percentile(ratios, 0.5)) - 1;
}

std::vector<Finding> find_profiler_bias(const Evidence& evidence) {
  const auto added = added_to_step(evidence);
  const auto cost = find_run_cost(evidence.analysis());
  const double share = cost ? cost->share : 0;
  if (share < kMostOfRun && added.value_or(0) < kMostOfStep) return {};
  const std::string seen =
      added.value_or(0) >= kMostOfStep
          ? fmt::format("Steps whose ops are recorded take {} longer than others", percent(*added))
          : fmt::format("Recording made the run {} longer", percent(share));
  return {{"", 0, std::nullopt, std::nullopt, Confidence::high,
           fmt::format("{}: tables overestimate Python and short ops.", seen),
           "laptime run --no-lines, or --no-ops, or a smaller --budget; --steps 100:120 to look at "
           "a few steps only"}};
}

}  // namespace

const Rule kProfilerBias{
    "profiler-bias",
    "laptime itself takes too much of the time",
    "recording made the run at least a tenth longer. Or recorded steps are at least 30 % longer "
    "than resting ones, also than the resting ones next to them. The second case needs a "
    "machine that was not busy, and steps that do not differ as much among themselves.",
    "it takes less. Its cost is at the end of every summary.",
    "Use `laptime run --no-lines`, `--no-ops` or a smaller `--budget`. `--steps 100:120` "
    "records a few steps completely.",
    "none: it shows how far the other numbers can be trusted.",
    find_profiler_bias};

}  // namespace laptime
