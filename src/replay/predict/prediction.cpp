#include "replay/predict/prediction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/bootstrap.h"
#include "base/percentile.h"
#include "replay/predict/phase_model.h"
#include "replay/predict/rank_coupling.h"
#include "trace/analysis.h"

namespace laptime::replay {

namespace {

// The difference between two starts of the same program, as a share of the median, where a GPU
// bounds it …
constexpr double kAnotherStart = 0.05;
// … and additionally where the host does, from the host's speed (docs/accuracy.md).
constexpr double kHostSpeed = 0.09;
// The same for a program that computes on the CPU. With the former it covers nine of ten starts
// (docs/accuracy.md).
constexpr double kCpuSpeed = 0.15;
constexpr double kSlower = 1.1;  // of the host, to measure the share of a step that follows it
// Of the gain's logarithm: the larger a change, the larger the unmodelled part.
constexpr double kUnknown = 0.1;

std::vector<std::int64_t> sums(const std::vector<CategoryTimes>& times) {
  std::vector<std::int64_t> walls;
  for (const CategoryTimes& step : times) walls.push_back(sum(step));
  return walls;
}

std::vector<std::int64_t> counted(std::span<const HostStep> steps,
                                  const std::vector<std::int64_t>& all) {
  std::vector<std::int64_t> walls;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].step.counts) walls.push_back(all[i]);
  return walls;
}

std::vector<std::int64_t> measured_walls(std::span<const HostStep> steps) {
  std::vector<std::int64_t> walls;
  for (const HostStep& step : steps) walls.push_back(step.step.wall_ns);
  return walls;
}

double median(std::vector<std::int64_t> values) {
  return static_cast<double>(take_percentile(values, 0.5));
}
double mean(const std::vector<std::int64_t>& values) {
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

// The mean step with the breakdown's categories, scaled to `total`.
MeanStep split_to(std::span<const HostStep> steps, const std::vector<CategoryTimes>& times,
                  double total) {
  std::vector<HostStep> timed;
  timed.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].step.counts) continue;
    timed.push_back(
        {steps[i].step, steps[i].has_ops, steps[i].sources, times[i], steps[i].overlapped, {}});
    timed.back().step.wall_ns = sum(times[i]);
  }
  HostSteps all;
  for (const HostStep& step : timed) all.push_back(&step);
  MeanStep step = mean_step(all);
  const double scale = step.wall_ns > 0 ? total / step.wall_ns : 0;
  for (double& ns : step.exposed) ns *= scale;
  step.undivided_ns *= scale;
  return step;
}

// A phase's times with the changes, by outlook.
struct ChangedTimes {
  const StepTimes &expected, &best, &worst;
};

class PhasePredictor {
 public:
  // `plain_times` and `slow_times`: the model's without changes, and with a slower host. `slow`:
  // the changes with that host.
  PhasePredictor(const PhaseModel& model, const StepTimes& plain_times, const StepTimes& slow_times,
                 const ChangedTimes& changed, const Pricing& plain, const Pricing& priced,
                 const Pricing& slow)
      : model_(model),
        plain_times_(plain_times),
        slow_times_(slow_times),
        changed_(changed),
        plain_(plain),
        priced_(priced),
        slow_(slow) {}

  PhasePrediction predict() {
    const StepTimes &plain_times = plain_times_, &times = changed_.expected;
    const Step& first = model_.steps().front().step;
    result_.phase = first.phase, result_.track = first.track;
    result_.replayed = model_.replayed_steps();
    const std::vector<std::int64_t> measured =
        counted(model_.steps(), measured_walls(model_.steps()));
    result_.steps = measured.size();
    result_.before_ns = mean(measured);
    result_.replayed_ns = result_.before_ns * replayed_ratio();
    const double plain = usual(plain_times);
    const auto after = [&](const StepTimes& of) {
      return plain > 0 ? result_.before_ns * usual(of) / plain : 0;
    };
    result_.after_ns = after(times);
    set_interval(times, after(changed_.best), after(changed_.worst));
    result_.before = split_to(model_.steps(), plain_times, result_.before_ns);
    result_.after = split_to(model_.steps(), times, result_.after_ns);
    set_gpu(plain_times, times);
    find_next(times);
    return std::move(result_);
  }

 private:
  std::vector<std::int64_t> walls_of(const std::vector<CategoryTimes>& times) const {
    return counted(model_.steps(), sums(times));
  }
  double usual(const std::vector<CategoryTimes>& times) const { return mean(walls_of(times)); }
  // Without a GPU the recorder has no share: the plain replay equals the recorded one, queue of
  // batches included.
  double replayed_ratio() const {
    const double measured = mean(counted(model_.steps(), measured_walls(model_.steps())));
    const double replayed = model_.has_gpu()
                                ? mean(counted(model_.steps(), model_.replayed_walls()))
                                : usual(plain_times_);
    return measured > 0 ? replayed / measured : 1;
  }
  // The share of a step that follows the host's speed: 0 if a GPU bounds it, 1 if the host does.
  double host_share(const std::vector<CategoryTimes>& times,
                    const std::vector<CategoryTimes>& slow_times) const {
    const double usual_ns = usual(times);
    return usual_ns > 0
               ? std::clamp(std::log(usual(slow_times) / usual_ns) / std::log(kSlower), 0.0, 1.0)
               : 0;
  }
  // The error from the host's speed, which differs when the program is started again with the
  // changes. A step that follows it is wrong by that much. So is the gain, if the step follows it
  // only before the change.
  double of_host(const std::vector<CategoryTimes>& times) const {
    if (!model_.has_gpu()) return kCpuSpeed;
    const double then = host_share(times, model_.times(slow_, Outlook::expected));
    return kHostSpeed * std::max(then, host_share(plain_times_, slow_times_) - then);
  }
  // The errors are independent, so their squares are added.
  void set_interval(const std::vector<CategoryTimes>& times, double best, double worst) {
    double below = 1, above = 1;
    if (const auto spread = compare_paired(walls_of(plain_times_), walls_of(times));
        spread && spread->ratio > 0 && spread->low > 0)
      below = spread->low / spread->ratio, above = spread->high / spread->ratio;
    const double work = priced_.changes().batch * result_.before_ns;
    const auto gain = [&](double ns) { return ns > 0 ? work / ns : 1; };
    result_.gain = gain(result_.after_ns);
    result_.noise = std::expm1(std::hypot(std::log1p(kAnotherStart), std::log1p(of_host(times))));
    const double unknown = kUnknown * std::log(result_.gain);
    const auto away = [&](double outlook, double steps) {
      const double of_change =
          result_.after_ns > 0 && outlook > 0 ? std::log(outlook / result_.after_ns) : 0;
      return std::exp(std::hypot(of_change, std::log(steps), unknown));
    };
    result_.low_ns =
        result_.after_ns / away(std::min({best, worst, result_.after_ns}), std::min(below, 1.0));
    result_.high_ns =
        result_.after_ns * away(std::max({best, worst, result_.after_ns}), std::max(above, 1.0));
    result_.gain_low = gain(result_.high_ns), result_.gain_high = gain(result_.low_ns);
  }
  void set_gpu(const std::vector<CategoryTimes>& plain_times,
               const std::vector<CategoryTimes>& times) {
    if (!model_.has_gpu()) return;
    result_.gpu_busy_before = busy_share(plain_, plain_times);
    result_.gpu_busy_after = busy_share(priced_, times);
  }
  std::optional<double> busy_share(const Pricing& pricing,
                                   const std::vector<CategoryTimes>& times) const {
    double busy = 0, wall = 0;
    for (const PhaseModel::ReplayedBurst& burst : model_.bursts(pricing, Outlook::expected, times))
      for (const DeviceTimes& step : device_times(*burst.graph, burst.replay))
        busy += static_cast<double>(step.busy_ns), wall += static_cast<double>(step.wall_ns);
    return wall > 0 ? std::optional(busy / wall) : std::nullopt;
  }
  // The path of the replayed step nearest to the median.
  void find_next(const std::vector<CategoryTimes>& times) {
    const double wanted = median(walls_of(times));
    double nearest = -1;
    for (const PhaseModel::ReplayedBurst& burst :
         model_.bursts(priced_, Outlook::expected, times)) {
      for (std::uint32_t s = 0; s < burst.graph->steps.size(); ++s) {
        const CategoryTimes& step = times[burst.first + s];
        const double away = std::abs(static_cast<double>(sum(step)) - wanted);
        if (nearest >= 0 && away >= nearest) continue;
        nearest = away;
        result_.next = sum_path(model_.source().analysis.lines(),
                                steady_path(model_.source(), *burst.graph, burst.replay, s));
      }
    }
  }

  const PhaseModel& model_;
  const StepTimes &plain_times_, &slow_times_;
  const ChangedTimes changed_;
  const Pricing &plain_, &priced_, &slow_;
  PhasePrediction result_;
};

void set_gain(PhasePrediction& phase, double batch, double gain, double low, double high) {
  const double work = batch * phase.before_ns;
  phase.gain = gain, phase.gain_low = low, phase.gain_high = high;
  phase.after_ns = work / gain, phase.high_ns = work / low, phase.low_ns = work / high;
}

void apply(const Changes& changes, PhasePrediction& phase) {
  for (const KnownGain& known : changes.known_gains) {
    if (known.track != phase.track || known.phase != phase.phase) continue;
    set_gain(phase, changes.batch, phase.gain * known.gain, phase.gain_low * known.low,
             phase.gain_high * known.high);
    phase.is_replayed = false;
    phase.gpu_busy_after.reset();
    phase.next.clear();
  }
  if (!changes.bound || changes.bound->track != phase.track ||
      changes.bound->phase != phase.phase || phase.gain_high <= changes.bound->most)
    return;
  const double most = changes.bound->most, replayed_ns = phase.after_ns;
  set_gain(phase, changes.batch, std::min(phase.gain, most), std::min(phase.gain_low, most), most);
  for (double& ns : phase.after.exposed) ns *= phase.after_ns / replayed_ns;
  phase.after.undivided_ns *= phase.after_ns / replayed_ns;
}

}  // namespace

struct Predictor::Phase {
  Phase(const GraphSource& source, const HostSteps& all, const Pricing& plain, const Pricing& slow)
      : copies(is_one_row(all) ? std::vector<HostStep>{} : copy_of(all)),
        steps(copies.empty() ? std::span(all.front(), all.size()) : std::span(copies)),
        model(source, steps),
        plain_times(model.times(plain, Outlook::expected)),
        slow_times(model.times(slow, Outlook::expected)) {}

  // Most runs only train, so their steps are already consecutive.
  static bool is_one_row(const HostSteps& all) {
    return static_cast<std::size_t>(all.back() - all.front()) + 1 == all.size();
  }
  static std::vector<HostStep> copy_of(const HostSteps& all) {
    std::vector<HostStep> steps;
    steps.reserve(all.size());
    for (const HostStep* s : all) steps.push_back(*s);
    return steps;
  }

  const std::vector<HostStep> copies;
  const std::span<const HostStep> steps;
  const PhaseModel model;
  const StepTimes plain_times, slow_times;
};

Predictor::Predictor(const Analysis& analysis) : source_(analysis), plain_(source_, {}) {
  const Pricing slow(source_, {}, kSlower);
  std::map<std::pair<std::uint32_t, std::uint32_t>, HostSteps> phases;  // track, phase
  for (const HostStep& step : analysis.host_steps())
    phases[{step.step.track, step.step.phase}].push_back(&step);
  for (const auto& [key, steps] : phases)
    if (std::any_of(steps.begin(), steps.end(), [](const HostStep* s) { return s->step.counts; }))
      phases_.push_back(std::make_unique<Phase>(source_, steps, plain_, slow));
  std::vector<std::span<const HostStep>> all;
  for (const auto& phase : phases_) all.emplace_back(phase->steps);
  ranks_ = std::make_unique<RankCoupling>(analysis, all);
}

Predictor::~Predictor() = default;

std::vector<StepTimes> Predictor::times(const Pricing& priced, Outlook outlook) const {
  std::vector<const StepTimes*> plain;
  std::vector<StepTimes> times;
  for (const auto& phase : phases_) {
    plain.push_back(&phase->plain_times);
    times.push_back(phase->model.times(priced, outlook));
  }
  ranks_->couple(plain, times);
  return times;
}

Prediction Predictor::predict(const Changes& changes) const {
  const Pricing priced(source_, changes), slow(source_, changes, kSlower);
  Prediction result;
  result.unknown_patterns = priced.unknown_patterns();
  const std::vector<StepTimes> expected = times(priced, Outlook::expected),
                               best = times(priced, Outlook::best),
                               worst = times(priced, Outlook::worst);
  for (std::size_t i = 0; i < phases_.size(); ++i)
    result.phases.push_back(PhasePredictor(phases_[i]->model, phases_[i]->plain_times,
                                           phases_[i]->slow_times, {expected[i], best[i], worst[i]},
                                           plain_, priced, slow)
                                .predict());
  if (const auto last = ranks_->last(expected)) {
    for (const std::size_t phase : ranks_->members())
      result.phases[phase].next = result.phases[*last].next;  // it bounds them all
  }
  for (PhasePrediction& phase : result.phases) apply(changes, phase);
  std::stable_sort(result.phases.begin(), result.phases.end(),
                   [](const PhasePrediction& a, const PhasePrediction& b) {
                     return a.before_ns * static_cast<double>(a.steps) >
                            b.before_ns * static_cast<double>(b.steps);
                   });
  return result;
}

}  // namespace laptime::replay
