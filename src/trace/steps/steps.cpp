#include "trace/steps/steps.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/percentile.h"
#include "trace/run/intervals.h"

namespace laptime {

namespace {

constexpr double kSpreadsToOutlier = 5;
constexpr double kSigmaPerDeviation = 1.4826;
constexpr double kLeastSpread = 0.02;
constexpr std::size_t kFewestToTell = 3;
constexpr std::size_t kFirstSteps = 10;     // of a phase: compilations there are part of its warmup
constexpr std::size_t kPauseInSteps = 100;  // median steps
constexpr std::int64_t kShortestPause = 1'000'000'000;

std::optional<std::int64_t> value_of(const SideColumn<std::int64_t>& column, std::uint32_t row) {
  const std::int64_t* const value = column.find(row);
  return value ? std::optional(*value) : std::nullopt;
}

StepOps step_ops(std::optional<std::int64_t> arg) {
  if (!arg) return StepOps::unknown;
  return *arg != 0 ? StepOps::recorded : StepOps::rested;
}

void add_steps_of(const Run& run, std::uint32_t track, std::vector<Step>& steps) {
  const Spans& spans = run.tracks[track].spans;
  const std::size_t before = steps.size();
  for (std::uint32_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::step)
      steps.push_back({0, track, spans.name[row], spans.start[row], spans.duration[row],
                       value_of(spans.samples, row), step_ops(value_of(spans.ops, row))});
  const auto first = steps.begin() + static_cast<std::ptrdiff_t>(before);
  std::stable_sort(first, steps.end(),
                   [](const Step& a, const Step& b) { return a.start_ns < b.start_ns; });
  for (auto it = first; it != steps.end(); ++it)
    it->number = static_cast<std::uint32_t>(it - first);
}

// Marks the steps during which their process compiled.
void find_compile_steps(const Run& run, std::vector<Step>& steps) {
  std::vector<std::vector<Interval>> compiling(run.processes.size());
  for (const Track& track : run.tracks)
    for (std::size_t row = 0; row < track.spans.size(); ++row)
      if (track.spans.kind[row] == SpanKind::compile)
        compiling[track.process].push_back({track.spans.start[row], track.spans.end(row)});
  std::vector<Intervals> merged(compiling.begin(), compiling.end());
  for (Step& step : steps)
    if (merged[run.tracks[step.track].process].overlaps(step.start_ns,
                                                        step.start_ns + step.wall_ns))
      step.kind = StepKind::compile;
}

// Calls for the steps of each track and phase: these are compared with each other.
template <typename Steps>
auto steps_by_phase(Steps& steps) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<decltype(steps.data())>> phases;
  for (auto& step : steps) phases[{step.track, step.phase}].push_back(&step);
  return phases;
}

std::int64_t median(std::vector<std::int64_t> values) { return take_percentile(values, 0.5); }

// Steps above this limit are outliers among the compared steps.
double outlier_limit(std::span<Step* const> steps, StepOps ops) {
  std::vector<std::int64_t> walls;
  for (const Step* s : steps)
    if (s->ops == ops) walls.push_back(s->wall_ns);
  if (walls.empty()) return INFINITY;
  const std::int64_t middle = median(walls);
  for (std::int64_t& w : walls) w = std::abs(w - middle);
  const double spread = std::max(kSigmaPerDeviation * static_cast<double>(median(walls)),
                                 kLeastSpread * static_cast<double>(middle));
  return static_cast<double>(middle) + kSpreadsToOutlier * spread;
}

void find_warmup_and_outliers(std::span<Step* const> steps) {
  if (steps.size() < kFewestToTell) return;
  const std::span<Step* const> later = steps.subspan(1);
  const double limits[] = {outlier_limit(later, StepOps::unknown),
                           outlier_limit(later, StepOps::rested),
                           outlier_limit(later, StepOps::recorded)};
  bool warm = false;
  for (Step* step : steps) {
    const bool slow =
        static_cast<double>(step->wall_ns) > limits[static_cast<std::size_t>(step->ops)];
    warm |= step != steps.front() && !slow;
    step->kind = !warm ? StepKind::warmup : slow ? StepKind::outlier : StepKind::steady;
  }
}

void find_pauses(std::span<Step* const> steps) {
  std::vector<std::int64_t> walls;
  for (const Step* step : steps)
    if (step->kind != StepKind::warmup) walls.push_back(step->wall_ns);
  if (walls.size() < kFewestToTell) return;
  const auto longest =
      median(walls) * static_cast<std::int64_t>(std::max(walls.size(), kPauseInSteps));
  for (Step* step : steps)
    if (step->kind != StepKind::warmup && step->wall_ns > std::max(longest, kShortestPause))
      step->kind = StepKind::pause;
}

}  // namespace

const char* kind_name(StepKind kind) {
  switch (kind) {
    case StepKind::warmup:
      return "warmup";
    case StepKind::compile:
      return "compile";
    case StepKind::steady:
      return "steady";
    case StepKind::outlier:
      return "outlier";
    case StepKind::pause:
      return "pause";
  }
  return "";
}

void classify_steps(std::span<Step*> all) {
  std::vector<Step*> steps;
  std::copy_if(all.begin(), all.end(), std::back_inserter(steps),
               [](const Step* s) { return s->kind != StepKind::compile; });
  find_warmup_and_outliers(steps);
  find_pauses(steps);
  bool any = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const StepKind kind = all[i]->kind;
    all[i]->counts = kind != StepKind::warmup && kind != StepKind::pause &&
                     (kind != StepKind::compile || i >= kFirstSteps);
    any |= all[i]->counts;
  }
  for (Step* step : all) step->counts |= !any && step->kind == StepKind::compile;
}

std::vector<Step> find_steps(const Run& run) {
  std::vector<Step> steps;
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) add_steps_of(run, t, steps);
  if (!steps.empty()) find_compile_steps(run, steps);
  for (auto& [key, phases] : steps_by_phase(steps)) classify_steps(phases);
  return steps;
}

}  // namespace laptime
