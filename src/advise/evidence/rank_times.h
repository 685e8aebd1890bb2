// What the main phase's rank and those that train with it spend on communication and on work of
// their own, brought to the main phase's mean step.
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
  std::size_t steps = 0;  // that are known of all of them
  // What no rank is spared: of each step, the wait of the rank that waits least. The rest of the
  // others' waits is for that rank, not for the wires.
  Part communication;
  double overlapped_ns = 0;     // communication beside other work, of the main phase's rank
  double for_others_ns = 0;     // what a mean rank waits besides
  Part excess;                  // by which the rank's own work is more than the others' median
  double excess_spread_ns = 0;  // from step to step: its standard deviation
  double above_mean_ns = 0;     // … and more than the mean of all
  double slowest = 0;           // share of the steps in which its own work was most
};

// Nothing where the main phase's process calls no collectives, or steps that are known of all ranks
// are too few.
std::optional<RankTimes> measure_ranks(const Evidence& evidence);

// What one rank does more of than the median of the others, in a step.
struct MoreOf {
  HostCategory category = HostCategory::rest;
  double category_ns = 0;
  std::string file;  // of the line whose own time differs most; empty: none stands out
  std::uint32_t line = 0;
  double line_ns = 0;
};
MoreOf find_more(const Evidence& evidence, const RankTimes& times);

}  // namespace laptime
