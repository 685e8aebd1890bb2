#include "trace/run/clock_map.h"

#include <algorithm>

namespace laptime {

namespace {

// Reading two clocks as one moment has an error of about 50 ns. Over a hundredth of a second that
// is a rate error of 5e-6.
constexpr std::int64_t kShortestPieceNs = 10'000'000;
// A sleeping machine stops one clock and not the other, so a rate may be far from 1. It is never
// near 0 or infinite.
constexpr double kLowestRate = 1e-6, kHighestRate = 1e6;

double rate_between(const ClockFact& a, const ClockFact& b) {
  return static_cast<double>(b.monotonic_ns - a.monotonic_ns) /
         static_cast<double>(b.part_ns - a.part_ns);
}

std::vector<ClockFact> usable_points(const std::vector<ClockFact>& points) {
  std::vector<ClockFact> kept;
  for (const ClockFact& p : points) {
    if (!is_plausible_time(p.part_ns) || !is_plausible_time(p.monotonic_ns)) continue;
    if (!kept.empty()) {
      if (p.part_ns - kept.back().part_ns < kShortestPieceNs) continue;
      const double rate = rate_between(kept.back(), p);
      if (rate < kLowestRate || rate > kHighestRate) continue;
    }
    kept.push_back(p);
  }
  return kept;
}

}  // namespace

ClockMap::ClockMap(const std::vector<ClockFact>& points) : ClockMap() {
  const std::vector<ClockFact> kept = usable_points(points);
  if (kept.empty()) return;
  pieces_.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool last = i + 1 == kept.size();
    if (last && i > 0) break;  // the piece before continues
    Piece piece;
    piece.from = i == 0 ? INT64_MIN : kept[i].part_ns;
    piece.to = i + 2 < kept.size() ? kept[i + 1].part_ns : INT64_MAX;
    piece.anchor = kept[i].part_ns;
    piece.offset = kept[i].monotonic_ns - kept[i].part_ns;
    piece.drift = last ? 0 : rate_between(kept[i], kept[i + 1]) - 1;
    piece.half = piece.drift < 0 ? -0.5 : 0.5;
    pieces_.push_back(piece);
  }
}

void ClockMap::shift(std::int64_t ns) {
  for (Piece& piece : pieces_) piece.offset += ns;
}

const ClockMap::Piece& ClockMap::piece_at(std::int64_t part_ns) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), part_ns,
                       [](std::int64_t t, const Piece& piece) { return t < piece.from; });
  return after == pieces_.begin() ? pieces_.front() : after[-1];
}

}  // namespace laptime
