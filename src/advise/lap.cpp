#include "advise/lap.h"

#include <algorithm>
#include <map>

namespace laptime {

namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;  // track, phase

// The track and phase that advice is about.
Key choose(const Run& run, const std::vector<HostStep>& steps) {
  std::map<Key, double> totals;
  for (const HostStep& s : steps) totals[{s.step.track, s.step.phase}] += static_cast<double>(s.step.wall_ns);
  const std::uint32_t train = run.strings.find("train");
  const auto weight = [&](const auto& entry) { return std::pair(entry.first.second == train, entry.second); };
  return std::max_element(totals.begin(), totals.end(), [&](const auto& a, const auto& b) { return weight(a) < weight(b); })->first;
}

std::size_t index(HostCategory category) { return static_cast<std::size_t>(category); }

}  // namespace

Lap::Lap(const Analysis& analysis) {
  const std::vector<HostStep>& all = analysis.host_steps();
  if (all.empty()) return;
  const Key key = choose(analysis.run(), all);
  std::copy_if(all.begin(), all.end(), std::back_inserter(steps_), [&](const HostStep& s) { return Key{s.step.track, s.step.phase} == key && is_typical(s.step.kind); });
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
