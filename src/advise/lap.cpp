#include "advise/lap.h"

#include <algorithm>
#include <iterator>

#include "analyze/percentile.h"
#include "analyze/ranks.h"

namespace laptime {

namespace {

double mean_own(const Rank& rank) {
  double sum = 0;
  for (const RankStep& step : rank.steps) sum += static_cast<double>(step.own_ns());
  return rank.steps.empty() ? 0 : sum / static_cast<double>(rank.steps.size());
}

// The thread and phase that advice is about.
LapKey choose(const Analysis& analysis) {
  const std::vector<Rank>& ranks = analysis.ranks();
  if (ranks.size() > 1) return std::max_element(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) { return mean_own(a) < mean_own(b); })->lap;
  return find_main_lap(analysis.run(), analysis.host_steps()).value_or(LapKey{});
}

constexpr std::size_t kPause = 100;  // times a usual step

double longest_but_pauses(const std::vector<HostStep>& steps, LapKey key) {
  std::vector<std::int64_t> walls;
  for (const HostStep& s : steps)
    if (lap_of(s.step) == key && is_typical(s.step.kind)) walls.push_back(s.step.wall_ns);
  return walls.empty() ? 0 : static_cast<double>(take_percentile(walls, 0.5)) * static_cast<double>(std::max(walls.size(), kPause));
}

std::size_t index(HostCategory category) { return static_cast<std::size_t>(category); }

}  // namespace

Lap::Lap(const Analysis& analysis) : Lap(analysis, choose(analysis)) {}

Lap::Lap(const Analysis& analysis, LapKey key) : key_(key), longest_ns_(longest_but_pauses(analysis.host_steps(), key)) {
  const std::vector<HostStep>& all = analysis.host_steps();
  std::copy_if(all.begin(), all.end(), std::back_inserter(steps_), [&](const HostStep& s) { return has(s.step); });
  knows_gpu_ = std::any_of(steps_.begin(), steps_.end(), [](const HostStep& s) { return s.has_gpu; });
  double light = 0, details = 0;
  for (const HostStep& s : steps_) {
    step_ns_ += static_cast<double>(s.step.wall_ns) / static_cast<double>(steps_.size());
    recorded_ += s.has_ops;
    for (std::size_t c = 0; c < kHostCategories; ++c) {
      const bool is_detail = !is_known_always(static_cast<HostCategory>(c));
      if (!is_detail) light += static_cast<double>(s.exposed[c]) / static_cast<double>(steps_.size());
      if (is_detail && s.has_ops) details += static_cast<double>(s.exposed[c]);
    }
  }
  if (details > 0) detail_scale_ = (step_ns_ - light) * static_cast<double>(recorded_) / details;
}

Part Lap::part(HostCategory category) const {
  std::vector<double> ns;
  for (const HostStep& s : steps_)
    if (is_known_always(category) || s.has_ops) ns.push_back(static_cast<double>(s.exposed[index(category)]));
  return mean_part(ns).scaled(is_known_always(category) ? 1 : detail_scale_);
}

}  // namespace laptime
