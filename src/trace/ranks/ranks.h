// The processes of a run that train together: they have steps and call collectives.
//
// A rank's wait in communication is that of its stepping thread (host_time.h) or of its slowest GPU
// (device_time.h), whichever is longer. The rest of a step is its own work.
//
// Collectives make ranks wait for each other. A rank with more own work waits less, and all steps
// take equally long. Consequence: the slowest rank has the most own work, not the longest steps.
// Assumption: the nth steps of the main phase belong together in all ranks. Work of one rank alone,
// such as validation, is in another phase.
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
  std::int64_t overlapped_ns = 0;  // … and beside other work

  std::int64_t own_ns() const { return step->step.wall_ns - waiting_ns; }
};

struct Rank {
  std::optional<std::int64_t> number;  // nothing: the process did not record it
  std::uint32_t process = 0;           // Run::processes
  PhaseKey main_phase;
  // Those whose communication is known, without warmup and compiling steps.
  std::vector<RankStep> steps;
};

// Whether several processes of the run may be ranks, judged by their spans.
bool has_several_ranks(const Run& run);

// By number, then in the order of Run::processes.
std::vector<Rank> find_ranks(const Run& run, const std::vector<HostStep>& steps,
                             const DeviceSteps& device_steps);

// The rank of a track's process. Nothing if only one process trains or its number is unknown.
std::optional<std::int64_t> rank_of_track(const Run& run, const std::vector<Rank>& ranks,
                                          std::uint32_t track);

// By rank: the steps that are known in every rank.
std::vector<std::vector<RankStep>> common_steps(const std::vector<Rank>& ranks);

}  // namespace laptime
