#include "base/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/percentile.h"

namespace laptime {

namespace {

constexpr std::size_t kResamples = 2000;
constexpr std::size_t kMostPaired = 2000,
                      kPairedResamples = 500;  // of predictions, of which a run has many
constexpr std::size_t kMostBlocks = 12;        // long blocks, so that slow drift stays inside them
constexpr double kOutside = 0.025;             // on each side of the interval
// Corrects for few blocks. The spread of n resampled blocks is too small by sqrt((n-1)/n).
// Student's 97.5 % point at n-1 degrees of freedom replaces the normal one. For n = kMostBlocks:
// 2.20 / 1.96 * sqrt(12 / 11).
constexpr double kFewBlocks = 1.17;

// Draws blocks of a series until the series' number of steps is drawn. Blocks begin anywhere, and
// the series is a ring.
class BlockSampler {
 public:
  explicit BlockSampler(std::size_t steps)
      : length_(std::max<std::size_t>(1, steps / kMostBlocks)), drawn_(steps), values_(steps) {}

  void draw(std::mt19937_64& random) {
    for (std::size_t filled = 0; filled < drawn_.size();) {
      const std::size_t first = random() % drawn_.size();
      const std::size_t count = std::min(length_, drawn_.size() - filled);
      for (std::size_t i = 0; i < count; ++i) drawn_[filled + i] = (first + i) % drawn_.size();
      filled += count;
    }
  }
  // The values of `series` at the last draw.
  std::span<std::int64_t> of(std::span<const std::int64_t> series) {
    for (std::size_t i = 0; i < drawn_.size(); ++i) values_[i] = series[drawn_[i]];
    return values_;
  }

 private:
  std::size_t length_;
  std::vector<std::size_t> drawn_;
  std::vector<std::int64_t> values_;
};

double take_median(std::span<std::int64_t> values) {
  return static_cast<double>(take_percentile(values, 0.5));
}

double at_share(std::vector<double>& values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(percentile_index(values.size(), share));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double widened(double end, double ratio) {
  return ratio > 0 ? ratio * std::pow(end / ratio, kFewBlocks) : end;
}

// `middle`: of values that may be reordered. `draw`: resamples both series.
template <typename Middle, typename Draw>
std::optional<RatioInterval> interval_of(std::vector<std::int64_t> first,
                                         std::vector<std::int64_t> second, std::size_t resamples,
                                         Middle middle, Draw draw) {
  const double base = middle(first);
  if (base <= 0) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < resamples; ++i) {
    const auto [below, above] = draw();
    if (below > 0) ratios.push_back(above / below);
  }
  if (ratios.empty()) return std::nullopt;
  const double ratio = middle(second) / base;
  const double low = at_share(ratios, kOutside), high = at_share(ratios, 1 - kOutside);
  return RatioInterval{ratio, widened(low, ratio), widened(high, ratio)};
}

}  // namespace

std::optional<RatioInterval> compare_medians(std::span<const std::int64_t> first,
                                             std::span<const std::int64_t> second) {
  if (first.size() < kFewestToCompare || second.size() < kFewestToCompare) return std::nullopt;
  std::mt19937_64 random(first.size() * 1'000'003 + second.size());
  BlockSampler of_first(first.size()), of_second(second.size());
  return interval_of(
      {first.begin(), first.end()}, {second.begin(), second.end()}, kResamples, take_median, [&] {
        of_first.draw(random);
        of_second.draw(random);
        return std::pair(take_median(of_first.of(first)), take_median(of_second.of(second)));
      });
}

std::optional<RatioInterval> compare_paired(std::span<const std::int64_t> first,
                                            std::span<const std::int64_t> second) {
  if (first.size() < kFewestToCompare || first.size() != second.size()) return std::nullopt;
  const std::size_t stride = (first.size() + kMostPaired - 1) / kMostPaired;
  std::vector<std::int64_t> one, other;
  for (std::size_t i = 0; i < first.size(); i += stride)
    one.push_back(first[i]), other.push_back(second[i]);
  std::mt19937_64 random(first.size());
  BlockSampler of_both(one.size());
  return interval_of(one, other, kPairedResamples, take_middle_mean, [&] {
    of_both.draw(random);
    const double below = take_middle_mean(of_both.of(one));
    return std::pair(below, take_middle_mean(of_both.of(other)));
  });
}

}  // namespace laptime
