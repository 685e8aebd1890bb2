// The processes of a run that train together: those that step and call collectives.
//
// A rank waits in communication what its stepping thread does (host_time.h) or the GPU that waits
// longest (device_time.h), whichever is more; the rest of a step is its own work. Collectives make
// ranks wait for each other: a rank that has more work of its own waits less, and all steps take
// the same. Consequence: the slowest rank is not the one whose steps are longest but the one with
// most work of its own. Assumption: the first steps of that phase belong together, the second ones,
// and so on; what else a rank alone does (validation) is of another phase.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/time/device_time.h"
#include "trace/time/host_time.h"
#include "trace/time/main_phase.h"

namespace laptime {

struct RankStep {
  const HostStep* step;
  std::size_t position = 0;        // among all steps of the main_phase
  std::int64_t waiting_ns = 0;     // in communication …
  std::int64_t overlapped_ns = 0;  // … and what ran beside other work

  std::int64_t own_ns() const { return step->step.wall_ns - waiting_ns; }
};

struct Rank {
  std::optional<std::int64_t> number;  // nothing: the process does not tell
  std::uint32_t process = 0;           // Run::processes
  PhaseKey main_phase;
  std::vector<RankStep>
      steps;  // those of which communication is known, but warmup and those that compile
};

// Whether several processes of the run may be ranks, as their spans tell.
bool has_several_ranks(const Run& run);

// By number, then as Run::processes has them.
std::vector<Rank> find_ranks(const Run& run, const std::vector<HostStep>& steps,
                             const DeviceSteps& device_steps);

// Of the process of a track, where several train together and it tells.
std::optional<std::int64_t> rank_of_track(const Run& run, const std::vector<Rank>& ranks,
                                          std::uint32_t track);

// Steps that are known of every rank: of each, what it is in each of them.
std::vector<std::vector<RankStep>> common_steps(const std::vector<Rank>& ranks);

}  // namespace laptime
