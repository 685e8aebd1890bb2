// The ops around a driver call on its thread, and the call site that follows from them.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

struct OpAround {
  std::uint32_t row = kNoRow;  // the innermost span of the op tree
  std::uint32_t op = 0;        // Run::strings: the outermost op or the backward node; 0 none
  // Run::call_sites: the call's own if it recorded one. 0: the ops do not determine it.
  std::uint32_t call_site = 0;
};

// Contract: the constructor's arguments outlive this object.
class OpsAround {
 public:
  // `ops`: those of the track.
  OpsAround(const Run& run, std::uint32_t track, const TrackOps& ops);

  // The call began at `time`. `has_line`: it recorded its own line. It keeps that line if the ops
  // around it may run other lines: the program's own Function, a region around several ops.
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
