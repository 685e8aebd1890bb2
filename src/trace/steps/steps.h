// The steps of a training program, from spans of kind step.
//
// Kinds of steps:
//   warmup   the first step of a thread and the outliers right after it: caches, allocators and
//            compilers still settle. Only in threads with at least three steps
//   outlier  longer than median + 5 spreads. The spread is the median absolute deviation, scaled to
//            a normal distribution's sigma. It is at least 2 % of the median, so that a steady run
//            has no outliers
//   pause    longer than a second, than 100 median steps, and than as many median steps as there
//            are: the program waited for its user, or the machine slept
//   compile  something was compiled during the step, on any thread of its process
//   steady   all others
//
// Median and spread cover all steps of the thread's phase except the first and the compiling ones.
// Recording takes time, so steps with recorded ops and steps with rested ops are compared
// separately.
//
// All summaries count the same steps: all except warmup and pauses. A compiling step counts too,
// unless it is among the first ten of its phase: then it is warmup. If no other step is left, it
// counts.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

enum class StepKind { warmup, compile, steady, outlier, pause };
const char* kind_name(StepKind kind);
// Whether all ops of a step were recorded. unknown: nothing in the run records ops in some steps
// only.
enum class StepOps { unknown, rested, recorded };

struct Step {
  std::uint32_t number;  // among its thread's steps of all phases, from 0
  std::uint32_t track;   // Run::tracks
  std::uint32_t phase;   // Run::strings: the name under which the step was marked
  std::int64_t start_ns, wall_ns;
  std::optional<std::int64_t> samples;
  StepOps ops = StepOps::unknown;
  StepKind kind = StepKind::steady;
  bool counts = true;  // in summaries
};

// By track, then in the order of their starts.
std::vector<Step> find_steps(const Run& run);

// Sets the kind of each step and whether it counts. `steps`: of one phase of one thread, in order.
// Steps of kind compile keep their kind.
void classify_steps(std::span<Step*> steps);

}  // namespace laptime
