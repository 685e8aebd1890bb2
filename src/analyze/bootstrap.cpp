#include "analyze/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "analyze/percentile.h"

namespace laptime {

namespace {

constexpr std::size_t kResamples = 2000;
constexpr std::size_t kMostBlocks = 12;  // long stretches, so that slow drift stays inside them
constexpr double kOutside = 0.025;       // on each side of the interval
// Drawn again, few stretches vary less than new ones would: the spread of n draws is short by sqrt((n-1)/n), and Student's
// 97.5 % point at n-1 degrees of freedom stands in for the normal one. For n = kMostBlocks: 2.20 / 1.96 * sqrt(12 / 11).
constexpr double kFewBlocks = 1.17;

// Draws stretches of a series, begun anywhere (the series is a ring), until as many steps are drawn as it has.
class BlockSampler {
 public:
  explicit BlockSampler(std::span<const std::int64_t> series)
      : series_(series), length_(std::max<std::size_t>(1, series.size() / kMostBlocks)), drawn_(series.size()) {}

  double median_of_draw(std::mt19937_64& random) {
    for (std::size_t filled = 0; filled < drawn_.size();) {
      const std::size_t first = random() % series_.size();
      const std::size_t count = std::min(length_, drawn_.size() - filled);
      for (std::size_t i = 0; i < count; ++i) drawn_[filled + i] = series_[(first + i) % series_.size()];
      filled += count;
    }
    return static_cast<double>(take_percentile(drawn_, 0.5));
  }

 private:
  std::span<const std::int64_t> series_;
  std::size_t length_;
  std::vector<std::int64_t> drawn_;
};

double median_of(std::span<const std::int64_t> series) {
  std::vector<std::int64_t> copy(series.begin(), series.end());
  return static_cast<double>(take_percentile(copy, 0.5));
}

double at_share(std::vector<double>& values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(percentile_index(values.size(), share));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double widened(double end, double ratio) { return ratio > 0 ? ratio * std::pow(end / ratio, kFewBlocks) : end; }

}  // namespace

std::optional<RatioInterval> compare_medians(std::span<const std::int64_t> first, std::span<const std::int64_t> second) {
  if (first.size() < kFewestToCompare || second.size() < kFewestToCompare) return std::nullopt;
  const double base = median_of(first);
  if (base <= 0) return std::nullopt;
  std::mt19937_64 random(first.size() * 1'000'003 + second.size());
  BlockSampler of_first(first), of_second(second);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double below = of_first.median_of_draw(random), above = of_second.median_of_draw(random);
    if (below > 0) ratios.push_back(above / below);
  }
  if (ratios.empty()) return std::nullopt;
  const double ratio = median_of(second) / base;
  const double low = at_share(ratios, kOutside), high = at_share(ratios, 1 - kOutside);
  return RatioInterval{ratio, widened(low, ratio), widened(high, ratio)};
}

}  // namespace laptime
