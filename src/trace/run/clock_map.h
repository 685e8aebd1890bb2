// Maps one part's times to the clock that all parts of a run share.
//
// Assumption: between two clock points of a part both clocks run at a constant rate. Before the
// first point and after the last one the nearest rate holds.
// Consequence: the map is piecewise linear and exact at the points. It keeps the order of moments,
// so nested spans stay nested.
#pragma once

#include <cstdint>
#include <vector>

#include "format/facts.h"

namespace laptime {

// Times further from zero than this (18 years) come from damage. Sums of two smaller times cannot
// overflow.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 59;
inline bool is_plausible_time(std::int64_t ns) { return ns > -kMaxTimeNs && ns < kMaxTimeNs; }

class ClockMap {
 public:
  // The identity.
  ClockMap() : pieces_{Piece{}} {}
  // Ignores points that contradict earlier ones (a clock that goes backwards, an implausible rate)
  // or are too close together for a rate. Without a usable point the map is the identity.
  explicit ClockMap(const std::vector<ClockFact>& points);

  // Moves every result by `ns`.
  void shift(std::int64_t ns);

  std::int64_t operator()(std::int64_t part_ns) const { return piece_at(part_ns).map(part_ns); }

 private:
  struct Piece {
    std::int64_t from = INT64_MIN;  // part's clock
    std::int64_t to = INT64_MAX;    // exclusive
    std::int64_t anchor = 0;        // where the drift is 0
    std::int64_t offset = 0;
    double drift = 0;   // rate minus 1
    double half = 0.5;  // with the sign of the drift: makes truncation round

    bool holds(std::int64_t t) const { return t >= from && t < to; }
    std::int64_t map(std::int64_t t) const {
      return t + offset + static_cast<std::int64_t>(static_cast<double>(t - anchor) * drift + half);
    }
  };
  const Piece& piece_at(std::int64_t part_ns) const;

  std::vector<Piece> pieces_;  // cover all times, in order

 public:
  // The same map, fast for many times that are close together. Must not outlive the map.
  class Cursor {
   public:
    explicit Cursor(const ClockMap& map) : map_(map), piece_(map.pieces_.front()) {}
    std::int64_t operator()(std::int64_t part_ns) {
      if (!piece_.holds(part_ns)) [[unlikely]]
        piece_ = map_.piece_at(part_ns);
      return piece_.map(part_ns);
    }

   private:
    const ClockMap& map_;
    Piece piece_;
  };
};

}  // namespace laptime
