// What ops lie around a call of the driver on its thread, and where the call belongs because of
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

struct OpAround {
  std::uint32_t row = kNoRow;  // the innermost span of the op tree
  std::uint32_t op = 0;        // Run::strings: the outermost op, or the backward node; 0 none
  std::uint32_t call_site =
      0;  // Run::call sites: the call's, whatever it recorded itself; 0: the ops do not tell
};

// Contract: what it is made of outlives it.
class OpsAround {
 public:
  // `ops`: those of the track.
  OpsAround(const Run& run, std::uint32_t track, const TrackOps& ops);

  // Of a call that began at `time`; `has_line`: it recorded a line of its own, which it keeps where
  // the ops around may run lines of their own (a Function of the program's, a region around several
  // ops).
  OpAround at(std::int64_t time, bool has_line) const;

 private:
  std::uint32_t innermost(std::int64_t time) const;
  std::uint32_t name_around(std::uint32_t row) const;
  bool is_of_torch(std::uint32_t row) const;

  const Run& run_;
  const SpanColumns& spans_;
  const TrackOps& ops_;
  std::vector<std::uint32_t> by_start_;  // rows of the op tree
};

}  // namespace laptime
