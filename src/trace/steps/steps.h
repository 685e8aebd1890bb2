// The steps of a training program, from spans of kind step.
//
// Kinds of steps:
//   warmup   the first step of a thread, and those right after it that are slow as outliers are:
//            caches, allocators and compilers are still settling. Only where a thread has at least
//            three steps; of fewer nothing can be told.
//   outlier  longer than median + 5 spreads. The spread is the median absolute deviation, scaled to
//            a normal distribution's sigma, but at least 2 % of the median, so that a steady run
//            has no outliers by trembling.
//   pause    longer than a second, than 100 median steps, and than as many median steps as there
//            are: the program waited for its user, or the machine slept.
//   compile  something was compiled while it ran, on any thread of its process.
//   steady   all others.
// Median and spread are taken over all steps of the thread's phase but the first and those that
// compile; steps whose ops were recorded and those whose ops rested are each compared with their
// own, because recording takes its time.
//
// All summaries count the same steps: all but warmup and pauses. A step that compiles counts like
// any other, except among the first ten of its phase: there it is part of the warmup. If no other
// step is left, it counts.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

enum class StepKind { warmup, compile, steady, outlier, pause };
const char* kind_name(StepKind kind);
// Whether all ops of a step were recorded; unknown: nothing records ops in some steps only.
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

// Sets the kinds of one thread's steps of one phase, in their order, and whether they count. Those
// of kind compile stay.
void classify_steps(std::span<Step*> steps);

}  // namespace laptime
