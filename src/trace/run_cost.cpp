#include "trace/run_cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "base/bootstrap.h"
#include "base/percentile.h"
#include "format/names.h"
#include "trace/analysis.h"
#include "trace/run/properties.h"
#include "trace/steps/steps.h"
#include "trace/time/main_phase.h"

namespace laptime {

namespace {

constexpr double kPriceError = 0.3;  // one standard error of event prices, as a share
// The cost of an op as a share of its price for the budget. The budget's price must not be too low.
// Chosen from one run each of five programs with --budget 50% on a busy machine. There recorded
// steps took longer than resting ones by 0.39 ± 0.10, 0.68 ± 0.23, 1.07 ± 0.34 and 1.5 ± 0.8 times
// the price, those of a CNN by 7 ± 3 times. It was checked with no other programs.
constexpr double kOpPrice = 0.65, kOpPriceError = 0.35;
constexpr double kConfidence = 1.96;    // standard errors, for 95 %
constexpr std::size_t kNeighbours = 5;  // resting steps on each side of recorded ones
// Prices above this share of the run are wrong: they include some of the program's time.
constexpr double kMostOfRun = 0.95;
// Times the processor's. Beyond this the kernel's counts describe something else.
constexpr double kMostWait = 20;

// With one standard error.
struct Estimate {
  double ns = 0, error_ns = 0;

  void add(const Estimate& other) {
    ns += other.ns;
    error_ns = std::hypot(error_ns, other.error_ns);
  }
};

Estimate priced(double ns) { return {ns, kPriceError * ns}; }
Estimate priced_ops(double ns) { return {kOpPrice * ns, kOpPriceError * kOpPrice * ns}; }

// Two estimates of one quantity, weighted by their certainty.
Estimate weighed(const Estimate& a, const Estimate& b) {
  if (a.error_ns <= 0) return a;
  if (b.error_ns <= 0) return b;
  const double of_a = 1 / (a.error_ns * a.error_ns), of_b = 1 / (b.error_ns * b.error_ns);
  return {(a.ns * of_a + b.ns * of_b) / (of_a + of_b), std::sqrt(1 / (of_a + of_b))};
}

// The counted steps of one thread and phase, in order.
using ComparedSteps = std::vector<const Step*>;

std::vector<ComparedSteps> steps_by_phase(const std::vector<Step>& steps, const Run& run,
                                          std::uint32_t process) {
  std::map<PhaseKey, ComparedSteps> phases;
  for (const Step& step : steps)
    if (step.counts && step.kind != StepKind::compile && run.tracks[step.track].process == process)
      phases[phase_of(step)].push_back(&step);
  std::vector<ComparedSteps> all;
  for (auto& [key, list] : phases) all.push_back(std::move(list));
  return all;
}

// By step: the median of the resting steps right before and after its row of recorded steps. 0:
// there are none.
std::vector<std::int64_t> resting_around(const ComparedSteps& steps) {
  std::vector<std::int64_t> around(steps.size());
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t last = first;
    while (last < steps.size() && steps[last]->ops == steps[first]->ops) ++last;
    if (steps[first]->ops == StepOps::recorded) {
      std::vector<std::int64_t> walls;
      for (std::size_t i = first;
           i-- > 0 && first - i <= kNeighbours && steps[i]->ops == StepOps::rested;)
        walls.push_back(steps[i]->wall_ns);
      for (std::size_t i = last;
           i < steps.size() && i < last + kNeighbours && steps[i]->ops == StepOps::rested; ++i)
        walls.push_back(steps[i]->wall_ns);
      if (!walls.empty())
        std::fill(around.begin() + static_cast<std::ptrdiff_t>(first),
                  around.begin() + static_cast<std::ptrdiff_t>(last), take_percentile(walls, 0.5));
    }
    first = last;
  }
  return around;
}

// The extra time of a recorded step over a resting one. Nothing if too few of both are known.
std::optional<Estimate> added_to_step(const ComparedSteps& steps) {
  const std::vector<std::int64_t> around = resting_around(steps);
  std::vector<std::int64_t> resting, recorded;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (around[i] > 0) resting.push_back(around[i]), recorded.push_back(steps[i]->wall_ns);
  const auto ratio = compare_paired(resting, recorded);
  if (!ratio) return std::nullopt;
  const double step = take_middle_mean(resting);
  return Estimate{(ratio->ratio - 1) * step,
                  std::max((ratio->high - ratio->low) / (2 * kConfidence), 1e-4) * step};
}

class ProcessCost {
 public:
  ProcessCost(const Run& run, const std::vector<Step>& steps, std::uint32_t process)
      : run_(run),
        steps_(steps),
        process_(process),
        properties_(run.processes[process].properties) {}

  // Nothing if the process did not count its records.
  std::optional<Estimate> find() {
    const auto records = property_number(properties_, property::kRecords),
               picoseconds = property_number(properties_, property::kRecordCostPs);
    if (!records || !picoseconds) return std::nullopt;
    const double waits = longer_by_waiting();
    // Short work is rarely interrupted on a busy machine, and the program around it is: both wait
    // alike.
    Estimate cost{std::max(number(property::kOwnTimeNs), waits * number(property::kOwnCpuNs)), 0};
    // A recorded op's own record is part of its price.
    const double ops = of_frameworks(property::kOpsNs) > 0 ? static_cast<double>(count_ops()) : 0;
    cost.add(priced(waits * std::max(0.0, static_cast<double>(*records) - ops) *
                    static_cast<double>(*picoseconds) / 1000));
    for (const double events : {number(property::kPythonCostNs), of_frameworks(property::kHooksNs),
                                of_frameworks(property::kByClockNs)})
      cost.add(priced(waits * events));
    // Its own thread: nobody waits for it where a processor is free.
    const double encoder = number(property::kEncoderNs) / 2;
    cost.add({encoder, encoder / kConfidence});
    cost.add(of_recorded_steps(waits * of_frameworks(property::kOpsNs)));
    return cost;
  }
  bool compared() const { return compared_; }

 private:
  double number(std::string_view key) const {
    return static_cast<double>(property_number(properties_, key).value_or(0));
  }
  double of_frameworks(std::string_view cost) const {
    return static_cast<double>(framework_cost(properties_, cost).value_or(0));
  }

  // How many times as long as with its own processor.
  double longer_by_waiting() const {
    const double ran = number(property::kRanNs), waited = number(property::kWaitedForProcessorNs);
    return ran > 0 ? std::clamp((ran + waited) / ran, 1.0, kMostWait) : 1;
  }
  std::size_t count_ops() const {
    std::size_t count = 0;
    for (const Track& track : run_.tracks)
      if (track.process == process_)
        count += static_cast<std::size_t>(std::count_if(
            track.spans.kind.begin(), track.spans.kind.end(),
            [](SpanKind kind) { return kind == SpanKind::op || kind == SpanKind::backward; }));
    return count;
  }
  // `price`: of all events of the steps.
  Estimate of_recorded_steps(double price) {
    double all_wall = 0;
    for (const Step& step : steps_)
      if (is_recorded(step)) all_wall += static_cast<double>(step.wall_ns);
    if (all_wall <= 0) return priced_ops(price);
    Estimate cost;
    double known_wall = 0;
    for (const ComparedSteps& phase : steps_by_phase(steps_, run_, process_)) {
      double wall = 0, count = 0;
      for (const Step* step : phase)
        if (is_recorded(*step)) wall += static_cast<double>(step->wall_ns), ++count;
      const auto added = count > 0 ? added_to_step(phase) : std::nullopt;
      if (!added) continue;
      const Estimate measured{added->ns * count, added->error_ns * count};
      const double of_phase = price * wall / all_wall;
      cost.add(of_phase > 0 ? weighed(measured, priced_ops(of_phase)) : measured);
      known_wall += wall;
      compared_ = true;
    }
    cost.add(priced_ops(price * std::max(0.0, 1 - known_wall / all_wall)));
    return cost;
  }
  bool is_recorded(const Step& step) const {
    return step.ops == StepOps::recorded && run_.tracks[step.track].process == process_;
  }

  const Run& run_;
  const std::vector<Step>& steps_;
  const std::uint32_t process_;
  const Properties& properties_;
  bool compared_ = false;
};

// From the process's start to its last record.
double life_ns(const Run& run, std::uint32_t process) {
  std::int64_t end = run.processes[process].started_at_ns;
  for (const Track& track : run.tracks)
    if (track.process == process && track.spans.size() > 0)
      end = std::max(end, track.spans.end(track.spans.size() - 1));
  return static_cast<double>(end - run.processes[process].started_at_ns);
}

}  // namespace

std::optional<RunCost> find_run_cost(const Analysis& analysis) {
  const Run& run = analysis.run();
  if (run.end_ns <= 0) return std::nullopt;
  std::optional<Estimate> first, children;
  double lives = 0;
  RunCost cost;
  for (std::uint32_t p = 0; p < run.processes.size(); ++p) {
    ProcessCost process(run, analysis.steps(), p);
    const auto found = process.find();
    if (!found) continue;
    std::optional<Estimate>& sum = first ? children : first;
    if (!sum) sum.emplace();
    if (&sum == &children) lives += life_ns(run, p);
    sum->add(*found);
    cost.compared |= process.compared();
  }
  if (!first) return std::nullopt;
  const auto duration = static_cast<double>(run.end_ns);
  if (children) {
    const double at_once = std::max(1.0, lives / duration);
    first->add({children->ns / at_once, children->error_ns / at_once});
  }
  const auto possible = [&](double ns) { return std::clamp(ns, 0.0, kMostOfRun * duration); };
  cost.ns = possible(first->ns);
  cost.low_ns = possible(first->ns - kConfidence * first->error_ns);
  cost.high_ns = possible(first->ns + kConfidence * first->error_ns);
  const auto share = [&](double ns) { return ns / (duration - ns); };
  cost.share = share(cost.ns), cost.low = share(cost.low_ns), cost.high = share(cost.high_ns);
  return cost;
}

}  // namespace laptime
