// Ranks wait for each other: what one waits in its collectives follows from what the others do
// before theirs.
//
// Assumption: the collectives of a step act as one, at which the rank with most work of its own
// lets all go on; what no rank is spared, the wait of the rank that waits least, is the wires'.
// Consequence: without a change every rank waits what it did. A change that makes the last rank
// sooner is worth as much to all of them, until another one is the last. Not on GPUs, where the
// stepping thread does not wait for collectives itself.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "replay/graph/replay.h"
#include "trace/analysis.h"

namespace laptime::replay {

// By step of a phase: where it goes.
using StepTimes = std::vector<CategoryTimes>;

class RankCoupling {
 public:
  // `phases`: the steps of each.
  RankCoupling(const Analysis& analysis, const std::vector<std::span<const HostStep>>& phases);
  // `common`: the positions of steps that are known of all members. For tests.
  RankCoupling(std::vector<std::size_t> members, std::vector<std::size_t> common)
      : members_(std::move(members)), common_(std::move(common)) {}

  // `plain`, `times`: by phase, each replayed by itself, without changes and with them. Afterwards
  // ranks wait for each other as they then must.
  void couple(const std::vector<const StepTimes*>& plain, std::vector<StepTimes>& times) const;

  // Phases that are a rank's.
  const std::vector<std::size_t>& members() const { return members_; }
  // Of these the one that waits least in coupled times: the others wait for it. Nothing where there
  // are no ranks.
  std::optional<std::size_t> last(const std::vector<StepTimes>& coupled) const;

 private:
  void couple_step(std::size_t step, const std::vector<const StepTimes*>& plain,
                   std::vector<StepTimes>& times) const;

  std::vector<std::size_t> members_;
  std::vector<std::size_t> common_;  // positions in their steps, the same in all of them
};

// Shortens the collectives of a replayed graph, the last ones first, by what its steps communicate
// longer than `wanted`. False: they do not.
bool fit_communication(const TaskGraph& graph, const Replay& replay,
                       std::span<const CategoryTimes> wanted, std::vector<std::int64_t>& own);

}  // namespace laptime::replay
