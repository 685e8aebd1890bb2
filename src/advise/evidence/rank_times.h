// The time that the main phase's rank and the others spend on communication and on their own work,
// scaled to the main phase's mean step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advise/evidence/evidence.h"
#include "trace/ranks/ranks.h"

namespace laptime {

struct RankTimes {
  const Rank* rank = nullptr;  // the main phase's
  std::vector<const Rank*> others;
  std::size_t steps = 0;  // known in all ranks
  // The part that no rank avoids: in each step, the wait of the rank that waits least. The others'
  // longer waits are for that rank, not for the network.
  Part communication;
  double overlapped_ns = 0;     // communication beside other work, in the main phase's rank
  double for_others_ns = 0;     // the mean rank's wait beyond that
  Part excess;                  // the rank's own work beyond the others' median
  double excess_spread_ns = 0;  // its standard deviation over steps
  double above_mean_ns = 0;     // the rank's own work beyond the mean of all
  double slowest = 0;           // share of steps in which its own work was the most
};

// Nothing if the main phase's process calls no collectives, or if too few steps are known in all
// ranks.
std::optional<RankTimes> measure_ranks(const Evidence& evidence);

// Work of one rank beyond the median of the others, per step.
struct MoreOf {
  HostCategory category = HostCategory::rest;
  double category_ns = 0;
  std::string file;  // of the line whose own time differs most; empty: no line is prominent
  std::uint32_t line = 0;
  double line_ns = 0;
};
MoreOf find_more(const Evidence& evidence, const RankTimes& times);

}  // namespace laptime
