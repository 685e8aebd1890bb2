// Puts one part's times onto the clock that all parts of a run share.
//
// Assumption: between two clock points of a part both clocks run at a constant rate. Consequence:
// the map is piecewise linear, exact at the points, and never turns the order of two moments
// around, so spans that nest still do. Before the first and after the last point the nearest piece
// goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "format/facts.h"

namespace laptime {

// Moments further from a clock's zero than this (18 years) come from damage, not from a run. Below
// it no sum of two times overflows.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 59;
inline bool is_plausible_time(std::int64_t ns) { return ns > -kMaxTimeNs && ns < kMaxTimeNs; }

class ClockMap {
 public:
  // The identity.
  ClockMap() : pieces_{Piece{}} {}
  // Points that contradict those before them (a clock going backwards, rates out of all reason) are
  // left out, and points too close together to tell a rate. Without a usable point: the identity.
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
  // The same map for many times that lie near each other. Must not outlive the map.
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
