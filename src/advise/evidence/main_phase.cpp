#include "advise/evidence/main_phase.h"

#include <algorithm>

#include "trace/analysis.h"
#include "trace/ranks/ranks.h"

namespace laptime {

namespace {

double mean_own(const Rank& rank) {
  double sum = 0;
  for (const RankStep& step : rank.steps) sum += static_cast<double>(step.own_ns());
  return rank.steps.empty() ? 0 : sum / static_cast<double>(rank.steps.size());
}

// The thread and phase that advice covers.
PhaseKey choose(const Analysis& analysis) {
  const std::vector<Rank>& ranks = analysis.ranks();
  if (ranks.size() > 1)
    return std::max_element(ranks.begin(), ranks.end(),
                            [](const Rank& a, const Rank& b) { return mean_own(a) < mean_own(b); })
        ->main_phase;
  return find_main_phase(analysis.run(), analysis.host_steps()).value_or(PhaseKey{});
}

}  // namespace

MainPhase::MainPhase(const Analysis& analysis) : MainPhase(analysis, choose(analysis)) {}

MainPhase::MainPhase(const Analysis& analysis, PhaseKey key) : key_(key) {
  for (const HostStep& s : analysis.host_steps())
    if (has(s.step)) steps_.push_back(&s);
  if (!steps_.empty()) mean_ = mean_step(steps_);
}

Part MainPhase::part(HostCategory category) const {
  std::vector<double> ns;
  for (const HostStep& s : steps())
    if (mean_.is_light(category) || s.has_ops)
      ns.push_back(static_cast<double>(s.exposed[static_cast<std::size_t>(category)]));
  return mean_part(ns).with_mean(mean_.of(category));
}

}  // namespace laptime
