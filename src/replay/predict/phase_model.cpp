#include "replay/predict/phase_model.h"

#include <algorithm>
#include <cmath>

#include "base/percentile.h"
#include "replay/graph/replay.h"
#include "replay/graph/task_graph.h"
#include "replay/predict/rank_coupling.h"
#include "replay/price/recorder_share.h"

namespace laptime::replay {

namespace {

constexpr std::size_t kMostInGraph = 32;  // steps in one graph
// Steps of a phase. More add little accuracy, and take time and memory.
constexpr std::size_t kMostReplayed = 256;
constexpr std::size_t kMostSpans = 200'000;  // in these steps
// The fewest resting steps that show the host's speed without records.
constexpr std::size_t kFewestRested = 16;
constexpr double kLeastHost = 0.5;  // of its time: a recorder takes no more than the program itself
constexpr double kHostExact = 0.01;
// Times the median step. A longer step is not representative.
constexpr double kMostAsMedian = 2;
// Times a line's own time: its forward, and backward on other threads.
constexpr double kMostWithLine = 10;
constexpr std::size_t kRest = static_cast<std::size_t>(HostCategory::rest);
constexpr std::size_t kInput = static_cast<std::size_t>(HostCategory::input);

double part_of_whole(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

double median_of(std::vector<std::int64_t> values) {
  return values.empty() ? 0 : static_cast<double>(take_percentile(values, 0.5));
}

struct Range {
  std::size_t first, count;
};

// Consecutive recorded steps in pieces of kMostInGraph, at most `most` in total, spread over the
// run. Outliers are used only if there are no other steps: each would represent many.
std::vector<Range> choose_bursts(std::span<const HostStep> steps, std::size_t most) {
  const auto is_steady = [](const HostStep& s) {
    return s.step.ops != StepOps::rested && s.step.kind == StepKind::steady;
  };
  const bool any_steady = std::any_of(steps.begin(), steps.end(), is_steady);
  std::vector<Range> all;
  std::size_t total = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].step.ops == StepOps::rested || !steps[i].step.counts ||
        (any_steady && !is_steady(steps[i])))
      continue;
    const bool goes_on =
        !all.empty() && all.back().first + all.back().count == i &&
        all.back().count < kMostInGraph &&
        steps[i].step.start_ns == steps[i - 1].step.start_ns + steps[i - 1].step.wall_ns;
    if (goes_on)
      ++all.back().count;
    else
      all.push_back({i, 1});
    ++total;
  }
  const std::size_t stride = (total + most - 1) / most;
  if (stride <= 1) return all;
  std::vector<Range> chosen;
  for (std::size_t i = 0; i < all.size(); i += stride) chosen.push_back(all[i]);
  return chosen;
}

// Fewer if steps have many spans.
std::size_t most_replayed(const Run& run, std::span<const HostStep> steps) {
  const std::size_t in_a_step =
      run.tracks[steps.front().step.track].spans.size() / steps.size() + 1;
  return std::clamp(kMostSpans / in_a_step, kMostInGraph, kMostReplayed);
}

// The factor on the expected hand-over of a batch, if none was seen.
double hand_over_factor(Outlook outlook) {
  return outlook == Outlook::best ? 1.0 / 3 : outlook == Outlook::worst ? 2 : 1;
}

}  // namespace

PhaseModel::PhaseModel(const GraphSource& source, std::span<const HostStep> steps)
    : source_(source),
      steps_(steps),
      loader_(find_loader(source.run, steps)),
      processors_(find_processors(
          source.run, source.run.processes[source.run.tracks[steps.front().step.track].process],
          loader_)) {
  for (const Range& range : choose_bursts(steps, most_replayed(source.run, steps))) {
    Burst burst{static_cast<std::uint32_t>(range.first),
                build_task_graph(source, steps.subspan(range.first, range.count)),
                {}};
    bursts_.push_back(std::move(burst));
  }
  set_host(1);
  if (has_gpu()) learn_host();
}

void PhaseModel::set_host(double left) {
  for (Burst& burst : bursts_) {
    burst.graph.host_left = left;
    burst.plain =
        split_replayed(burst.graph, replay(burst.graph, bare_times(source_, burst.graph)));
  }
}

double PhaseModel::plain_wall() const {
  std::vector<std::int64_t> walls;
  for (const Burst& burst : bursts_)
    for (const CategoryTimes& step : burst.plain) walls.push_back(sum(step));
  return median_of(std::move(walls));
}

void PhaseModel::learn_host() {
  std::vector<std::int64_t> rested;
  for (const HostStep& step : steps_)
    if (step.step.ops == StepOps::rested && step.step.kind == StepKind::steady)
      rested.push_back(step.step.wall_ns);
  if (rested.size() < kFewestRested) return;
  const double wanted = median_of(std::move(rested));
  double low = kLeastHost, high = 1;
  if (plain_wall() <= wanted) return;
  set_host(low);
  // The host does not bound these steps, so they do not show its speed.
  if (plain_wall() > wanted) return set_host(1);
  while (high - low > kHostExact) {
    const double middle = (low + high) / 2;
    set_host(middle);
    (plain_wall() > wanted ? high : low) = middle;
  }
}

double PhaseModel::typical_wall() const {
  std::vector<std::int64_t> walls;
  for (const HostStep& step : steps_)
    if (step.step.counts) walls.push_back(step.step.wall_ns);
  return median_of(std::move(walls));
}

std::size_t PhaseModel::replayed_steps() const {
  std::size_t count = 0;
  for (const Burst& burst : bursts_) count += burst.graph.steps.size();
  return count;
}

bool PhaseModel::has_gpu() const {
  return std::any_of(bursts_.begin(), bursts_.end(),
                     [](const Burst& burst) { return burst.graph.has_gpu; });
}

HostSources PhaseModel::sources() const {
  HostSources sources;
  for (const HostStep& step : steps_) sources.add(step.sources);
  sources.gpu = has_gpu();
  return sources;
}

bool PhaseModel::is_simulated(const Pricing& pricing) const {
  if (pricing.changes().input_free) return false;
  return loader_.workers > 0 || pricing.changes().workers.value_or(0) > 0;
}

std::vector<std::int64_t> PhaseModel::replayed_walls() const {
  std::vector<std::int64_t> walls;
  for (const HostStep& step : steps_) walls.push_back(step.step.wall_ns);
  for (const Burst& burst : bursts_) {
    const auto split =
        split_replayed(burst.graph, replay(burst.graph, recorded_times(burst.graph)));
    for (std::size_t s = 0; s < split.size(); ++s) walls[burst.first + s] = sum(split[s]);
  }
  return walls;
}

std::vector<CategoryTimes> PhaseModel::times(const Pricing& pricing, Outlook outlook) const {
  std::vector<CategoryTimes> times(steps_.size());
  for (const Burst& burst : bursts_) {
    const std::vector<CategoryTimes> priced =
        split_replayed(burst.graph, replay(burst.graph, pricing.prices(burst.graph, outlook)));
    std::copy(priced.begin(), priced.end(), times.begin() + burst.first);
  }
  fill_light(pricing, outlook, times);
  if (pricing.changes().input_free)
    for (CategoryTimes& step : times) step[kInput] = 0;
  if (!is_simulated(pricing)) return times;
  simulate_loader(pricing, outlook, times);
  if (!has_gpu()) return times;
  // While the host waits for input a GPU catches up, so this wait changes the other waits.
  for (const ReplayedBurst& burst : bursts(pricing, outlook, times)) {
    const std::vector<CategoryTimes> split = split_replayed(*burst.graph, burst.replay);
    std::copy(split.begin(), split.end(), times.begin() + burst.first);
  }
  return times;
}

PhaseModel::Ratios PhaseModel::find_ratios(const Pricing& pricing, Outlook outlook,
                                           std::span<const CategoryTimes> priced) const {
  CategoryTimes plain{}, without{}, with{};  // as recorded; priced without changes of lines; priced
  double line_step = 0, line_input = 0;
  const double most = kMostAsMedian * plain_wall();
  for (const Burst& burst : bursts_) {
    const auto split = split_replayed(
        burst.graph,
        replay(burst.graph, pricing.prices(burst.graph, outlook, Pricing::Lines::left_alone)));
    for (std::size_t s = 0; s < split.size(); ++s) {
      if (static_cast<double>(sum(burst.plain[s])) > most) continue;
      for (std::size_t c = 0; c < kHostCategories; ++c)
        plain[c] += burst.plain[s][c], without[c] += split[s][c],
            with[c] += priced[burst.first + s][c];
      const Pricing::LineOff off = pricing.line_off(burst.graph.steps[s].step, outlook);
      line_step += off.step_ns;
      line_input += off.input_ns;
    }
  }
  Ratios ratios;
  const HostSources known = sources();
  std::int64_t detail_plain = 0, detail_without = 0, detail_with = 0;
  for (std::size_t c = 0; c < kHostCategories; ++c) {
    ratios.category[c] = part_of_whole(without[c], plain[c]);
    if (!is_light(static_cast<HostCategory>(c), known))
      detail_plain += plain[c], detail_without += without[c], detail_with += with[c];
  }
  ratios.detail = part_of_whole(detail_without, detail_plain);
  const auto part = [](std::int64_t off, double all) {
    return all == 0 ? 1.0 : std::clamp(static_cast<double>(off) / all, 0.0, kMostWithLine);
  };
  ratios.line_step = part(detail_without - detail_with, line_step);
  ratios.line_input = part(without[kInput] - with[kInput], line_input);
  return ratios;
}

// Subtracts from the one rest if ops rested. Else it reduces all categories in the same proportion.
void PhaseModel::take_off_details(double off_ns, CategoryTimes& step) const {
  const auto is_detail = [known = sources()](std::size_t c) {
    return !is_light(static_cast<HostCategory>(c), known);
  };
  double all = 0;
  for (std::size_t c = 0; c < kHostCategories; ++c)
    all += is_detail(c) ? static_cast<double>(step[c]) : 0;
  if (off_ns == 0 || all <= 0) return;
  for (std::size_t c = 0; c < kHostCategories; ++c)
    if (is_detail(c)) step[c] = scaled(step[c], std::max(0.0, 1 - off_ns / all));
}

// The time of a usual step beyond what is known in every step. Slow steps without records take
// more; the reason is unknown.
double PhaseModel::usual_rest() const {
  std::vector<std::int64_t> rests;
  for (const HostStep& step : steps_)
    if (!step.has_ops && step.step.kind == StepKind::steady)
      rests.push_back(step.exposed[static_cast<std::size_t>(HostCategory::rest)]);
  return rests.empty() ? INFINITY : median_of(std::move(rests));
}

void PhaseModel::fill_light(const Pricing& pricing, Outlook outlook,
                            std::vector<CategoryTimes>& times) const {
  std::vector<bool> known(steps_.size());
  for (const Burst& burst : bursts_)
    std::fill_n(known.begin() + burst.first, burst.graph.steps.size(), true);
  const Ratios ratios = find_ratios(pricing, outlook, times);
  const double most_rest = usual_rest();
  const HostSources sources_known = sources();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (known[i]) continue;
    const HostStep& step = steps_[i];
    // With a GPU a replay moves waits between categories. Only their sum can be applied to another
    // step.
    const bool by_category = step.has_ops && !has_gpu();
    for (std::size_t c = 0; c < kHostCategories; ++c)
      times[i][c] = scaled(step.exposed[c],
                           by_category || is_light(static_cast<HostCategory>(c), sources_known)
                               ? ratios.category[c]
                               : ratios.detail);
    const auto rest = static_cast<double>(step.exposed[kRest]);
    if (!step.has_ops && step.step.kind != StepKind::steady && rest > most_rest)
      times[i][kRest] = std::llround(rest + most_rest * (ratios.detail - 1));
    const Pricing::LineOff off = pricing.line_off(step.step, outlook);
    take_off_details(off.step_ns * ratios.line_step, times[i]);
    times[i][kInput] = std::max<std::int64_t>(
        0, times[i][kInput] - std::llround(off.input_ns * ratios.line_input));
  }
}

void PhaseModel::simulate_loader(const Pricing& pricing, Outlook outlook,
                                 std::vector<CategoryTimes>& times) const {
  const unsigned workers = pricing.changes().workers.value_or(loader_.workers);
  const bool new_workers = loader_.workers == 0;
  LoaderFacts facts = loader_;
  const double factor = pricing.fetch_factor(loader_, outlook);
  // New workers do what the program did while it waited.
  for (Batch& batch : facts.batches) {
    batch.fetch_ns = scaled(
        batch.fetch_ns,
        new_workers ? part_of_whole(times[batch.step][kInput], steps_[batch.step].exposed[kInput])
                    : factor);
    if (new_workers) batch.hand_over_ns = scaled(batch.hand_over_ns, hand_over_factor(outlook));
  }
  std::vector<std::int64_t> compute;
  for (const CategoryTimes& step : times) compute.push_back(sum(step) - step[kInput]);
  if (workers != loader_.workers) {
    const LoaderLoad load{typical_wall(), median_of(compute),
                          median_of(simulate_waits(facts, compute, 0)), loader_.workers};
    const double slowed = slowed_by_workers(processors_, load, workers, outlook);
    for (std::size_t i = 0; i < times.size(); ++i) {
      compute[i] = scaled(compute[i], slowed);
      for (std::int64_t& ns : times[i]) ns = scaled(ns, slowed);
    }
    for (Batch& batch : facts.batches)
      batch.fetch_ns = scaled(batch.fetch_ns, fetch_slowed(processors_, slowed, outlook));
  }
  const std::vector<std::int64_t> waits = simulate_waits(
      facts, compute, workers, pricing.changes().any_order ? BatchOrder::any : BatchOrder::given);
  for (std::size_t i = 0; i < times.size(); ++i) times[i][kInput] = waits[i];
}

std::vector<PhaseModel::ReplayedBurst> PhaseModel::bursts(
    const Pricing& pricing, Outlook outlook, std::span<const CategoryTimes> times) const {
  std::vector<ReplayedBurst> bursts;
  for (const Burst& burst : bursts_) {
    Prices prices = pricing.prices(burst.graph, outlook);
    if (is_simulated(pricing)) {
      std::vector<std::int64_t> waits;
      for (std::size_t s = 0; s < burst.graph.steps.size(); ++s)
        waits.push_back(times[burst.first + s][kInput]);
      set_waits(burst.graph, waits, prices.own);
    }
    Replay replayed = replay(burst.graph, prices);
    if (!has_gpu() &&
        fit_communication(burst.graph, replayed,
                          times.subspan(burst.first, burst.graph.steps.size()), prices.own))
      replayed = replay(burst.graph, prices);
    bursts.push_back({&burst.graph, std::move(replayed), burst.first});
  }
  return bursts;
}

}  // namespace laptime::replay
