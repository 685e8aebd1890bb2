// Ranks wait for each other: a rank's wait in collectives follows from the other ranks' work before
// theirs.
//
// Assumption: all collectives of a step act as one. The rank with the most own work ends it for
// all. The wait that no rank avoids, that of the rank that waits least, is the network's.
// Consequence: without a change every rank waits as recorded. A change that speeds up the last rank
// speeds up all of them by the same time, until another one is the last.
// It does not apply on GPUs, where the stepping thread itself does not wait for collectives.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "replay/graph/replay.h"
#include "trace/analysis.h"

namespace laptime::replay {

// By step of a phase: its categories.
using StepTimes = std::vector<CategoryTimes>;

class RankCoupling {
 public:
  // `phases`: the steps of each phase.
  RankCoupling(const Analysis& analysis, const std::vector<std::span<const HostStep>>& phases);
  // For tests. `common`: the positions of steps that are known in all members.
  RankCoupling(std::vector<std::size_t> members, std::vector<std::size_t> common)
      : members_(std::move(members)), common_(std::move(common)) {}

  // Changes `times` so that ranks wait for each other as they then must. `plain`, `times`: by
  // phase, each replayed alone, without changes and with them.
  void couple(const std::vector<const StepTimes*>& plain, std::vector<StepTimes>& times) const;

  // The phases that are a rank's.
  const std::vector<std::size_t>& members() const { return members_; }
  // The member that waits least in coupled times: the others wait for it. Nothing without ranks.
  std::optional<std::size_t> last(const std::vector<StepTimes>& coupled) const;

 private:
  void couple_step(std::size_t step, const std::vector<const StepTimes*>& plain,
                   std::vector<StepTimes>& times) const;

  std::vector<std::size_t> members_;
  std::vector<std::size_t> common_;  // positions in the members' steps
};

// Shortens a replayed graph's collectives, the last ones first, by the steps' communication beyond
// `wanted`. False: there is none.
bool fit_communication(const TaskGraph& graph, const Replay& replay,
                       std::span<const CategoryTimes> wanted, std::vector<std::int64_t>& own);

}  // namespace laptime::replay
