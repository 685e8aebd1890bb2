// Compares two series of step times: how much faster or slower one is, with a confidence interval.
//
// Assumption: neighbouring steps are alike, because caches, clocks and other programs change
// slowly. So single steps are not independent draws, but blocks of steps nearly are. Consequence:
// whole blocks are resampled (a block bootstrap), and the interval widens if a run drifts. Some
// differences exist between any two starts of the same program (memory layout, other load of the
// machine). A single pair of runs cannot show them; kNegligible is their bound.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace laptime {

struct RatioInterval {
  double ratio;      // the second over the first: of their medians, or of the function's statistic
  double low, high;  // 95 % confidence interval
};

// With fewer steps on either side, nothing is known.
inline constexpr std::size_t kFewestToCompare = 8;
// A second start of the same program can differ by this much in its median (docs/accuracy.md).
inline constexpr double kNegligible = 0.02;

// Deterministic. Empty if a side has too few steps or its median is 0.
std::optional<RatioInterval> compare_medians(std::span<const std::int64_t> first,
                                             std::span<const std::int64_t> second);

// The ratio of middle means (percentile.h) of two times of the same steps: actual and predicted.
// What all steps have in common, such as a slow phase of the machine, is in both. Long series are
// sampled at a regular distance.
std::optional<RatioInterval> compare_paired(std::span<const std::int64_t> first,
                                            std::span<const std::int64_t> second);

}  // namespace laptime
