// How much faster or slower one series of step times is than another, and how sure that is.
//
// Assumption: neighbouring steps are alike (caches, clocks and other programs change slowly), so
// single steps are no independent draws; blocks of steps nearly are. Consequence: whole
// blocks are drawn again (a block bootstrap), and the interval widens where a run drifts. What
// differs between two runs of the same program from start to start (memory layout, the other
// tenants of the machine) no single pair can show; kNegligible stands for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace laptime {

struct RatioInterval {
  double ratio;      // of the second over the first: of their medians, or what the function says
  double low, high;  // where it lies with 95 % confidence
};

// Fewer steps than this on either side tell nothing.
inline constexpr std::size_t kFewestToCompare = 8;
// Differences of the median below this are not told apart from a second start of the same program
// (docs/accuracy.md).
inline constexpr double kNegligible = 0.02;

// The same input gives the same answer. Nothing when a side has too few steps or its median is 0.
std::optional<RatioInterval> compare_medians(std::span<const std::int64_t> first,
                                             std::span<const std::int64_t> second);

// The ratio of middle means (percentile.h) of two times of the same steps, as they were and as they
// would be: what all steps have in common — a machine that is slow for a while — is in both. Of
// long series steps far enough apart are looked at.
std::optional<RatioInterval> compare_paired(std::span<const std::int64_t> first,
                                            std::span<const std::int64_t> second);

}  // namespace laptime
