#include "replay/predict/rank_coupling.h"

#include <algorithm>

#include "replay/graph/replay.h"
#include "trace/analysis.h"
#include "trace/ranks/ranks.h"

namespace laptime::replay {

namespace {

constexpr std::size_t kCommunication = static_cast<std::size_t>(HostCategory::communication);

std::int64_t own(const CategoryTimes& times) { return sum(times) - times[kCommunication]; }

// By member: how much earlier than the last one it reaches the collectives.
template <typename At>
std::vector<std::int64_t> leads(std::size_t members, const At& at) {
  std::vector<std::int64_t> lead(members);
  std::int64_t most = 0;
  for (std::size_t m = 0; m < members; ++m) most = std::max(most, own(at(m)));
  for (std::size_t m = 0; m < members; ++m) lead[m] = most - own(at(m));
  return lead;
}

}  // namespace

RankCoupling::RankCoupling(const Analysis& analysis,
                           const std::vector<std::span<const HostStep>>& phases) {
  const std::vector<Rank>& ranks = analysis.ranks();
  if (ranks.size() < 2) return;
  for (const Rank& rank : ranks) {
    const auto phase =
        std::find_if(phases.begin(), phases.end(), [&](std::span<const HostStep> steps) {
          return phase_of(steps.front().step) == rank.main_phase;
        });
    if (phase == phases.end() || std::any_of(phase->begin(), phase->end(),
                                             [](const HostStep& s) { return s.sources.gpu; })) {
      members_.clear();
      return;
    }
    members_.push_back(static_cast<std::size_t>(phase - phases.begin()));
  }
  for (const std::vector<RankStep>& step : common_steps(ranks))
    common_.push_back(step.front().position);
  if (common_.empty()) members_.clear();
}

void RankCoupling::couple_step(std::size_t step, const std::vector<const StepTimes*>& plain,
                               std::vector<StepTimes>& times) const {
  const auto before = [&](std::size_t m) -> const CategoryTimes& {
    return (*plain[members_[m]])[step];
  };
  const auto after = [&](std::size_t m) -> CategoryTimes& { return times[members_[m]][step]; };
  std::size_t last = 0;
  for (std::size_t m = 1; m < members_.size(); ++m)
    if (before(m)[kCommunication] < before(last)[kCommunication]) last = m;
  const std::int64_t wires_before = before(last)[kCommunication],
                     wires = after(last)[kCommunication];
  const std::vector<std::int64_t> lead_before = leads(members_.size(), before),
                                  lead = leads(members_.size(), after);
  for (std::size_t m = 0; m < members_.size(); ++m)
    after(m)[kCommunication] =
        wires + std::max<std::int64_t>(
                    0, before(m)[kCommunication] - wires_before + lead[m] - lead_before[m]);
}

void RankCoupling::couple(const std::vector<const StepTimes*>& plain,
                          std::vector<StepTimes>& times) const {
  std::vector<std::int64_t> alone(members_.size()), together(members_.size());
  const auto add = [&](std::size_t step, std::vector<std::int64_t>& sums) {
    for (std::size_t m = 0; m < members_.size(); ++m) sums[m] += sum(times[members_[m]][step]);
  };
  for (const std::size_t step : common_) {
    add(step, alone);
    couple_step(step, plain, times);
    add(step, together);
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    StepTimes& mine = times[members_[m]];
    std::vector<bool> known(mine.size());
    for (const std::size_t step : common_) known[step] = true;
    // The waits of steps without records are unknown. They change in proportion to the known ones.
    const double ratio =
        alone[m] > 0 ? static_cast<double>(together[m]) / static_cast<double>(alone[m]) : 1;
    for (std::size_t i = 0; i < mine.size(); ++i)
      for (std::int64_t& ns : mine[i])
        if (!known[i]) ns = scaled(ns, ratio);
  }
}

std::optional<std::size_t> RankCoupling::last(const std::vector<StepTimes>& coupled) const {
  std::optional<std::size_t> found;
  if (common_.empty()) return found;
  std::int64_t least = INT64_MAX;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    std::int64_t waits = 0;
    for (const std::size_t step : common_) waits += coupled[members_[m]][step][kCommunication];
    if (waits < least) least = waits, found = members_[m];
  }
  return found;
}

bool fit_communication(const TaskGraph& graph, const Replay& replay,
                       std::span<const CategoryTimes> wanted, std::vector<std::int64_t>& own) {
  const StepTimes split = split_replayed(graph, replay);
  std::vector<std::int64_t> spared(split.size());
  for (std::size_t s = 0; s < split.size(); ++s)
    spared[s] = std::max<std::int64_t>(0, split[s][kCommunication] - wanted[s][kCommunication]);
  if (std::all_of(spared.begin(), spared.end(), [](std::int64_t ns) { return ns == 0; }))
    return false;
  // The last one first: earlier ones may overlap with other work.
  for (std::size_t i = graph.tasks.size(); i-- > 0;) {
    const Task& task = graph.tasks[i];
    if (task.category != HostCategory::communication) continue;
    const auto after = std::upper_bound(
        graph.steps.begin(), graph.steps.end(), task.start,
        [](std::int64_t time, const HostStep& step) { return time < step.step.start_ns; });
    if (after == graph.steps.begin()) continue;
    std::int64_t& left = spared[static_cast<std::size_t>(after - graph.steps.begin()) - 1];
    const std::int64_t taken = std::min(left, own[i]);
    own[i] -= taken;
    left -= taken;
  }
  return true;
}

}  // namespace laptime::replay
