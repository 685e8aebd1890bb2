// Where each launch came from: its line, the op around it, and whether it was forward, backward or
// the optimizer.
//
// With op records the launch belongs where the innermost op around it on its thread does
// (attribution.h). Without, it has the line that was read when it was made, in backward too where
// Python launched (a checkpoint's forward pass done again, a Function's backward); other backward
// launches that of the first launch after their autograd node was made. A node that launched
// nothing itself (a view) lies between two launches: it takes the line of the one before, which is
// a guess. AccumulateGrad, which has no number, goes with the launch before it on its thread. A
// launch that no op made (a Triton kernel of the program's own) has its line either way.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "trace/ops/attribution.h"
#include "trace/run/run.h"

namespace laptime {

struct Launch {
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint64_t link = 0;
  std::uint32_t track = 0, row = 0;
  std::uint32_t op = 0;  // Run::strings: the outermost op around it, or the backward node; 0 none
  std::uint32_t call_site = 0;  // Run::call sites, 0 unknown
  OpPass pass = OpPass::forward;
  std::uint32_t op_row = kNoRow;  // of its track: the innermost span of the op tree around it
};

// The launches of one process.
class Launches {
 public:
  // `tracks`: those of one process.
  Launches(const Run& run, const OpAttribution& ops, const std::vector<std::uint32_t>& tracks);

  const std::vector<Launch>& all() const { return launches_; }
  // The last launch with this link that began no later than `time`; null: none was recorded.
  const Launch* find(std::uint64_t link, std::int64_t time) const;
  // Whether any was recorded, whenever it began.
  bool has(std::uint64_t link) const { return link != 0 && by_link_.find(link); }
  // Where the node of a CUDA graph was captured; null: not known.
  const Launch* find_graph_node(std::uint64_t link) const;

 private:
  void add_track(const Run& run, const TrackOps& ops, std::uint32_t track);
  void find_backward_call_sites();
  std::uint32_t call_site_of_node(std::uint64_t node) const;

  struct Node {              // what a launch knew of autograd
    std::uint64_t link = 0;  // with a call site the node made last, else the node that ran it
    bool backward = false;
    bool has_line = false;  // of its own
    bool done = false;      // its call site comes from an op
  };
  std::vector<Launch> launches_;        // by track, then in the order of their ends
  std::vector<Node> nodes_;             // the same rows
  FlatMap<std::uint32_t> by_link_;      // → first of its launches in by_time_ + 1
  std::vector<std::uint32_t> by_time_;  // rows, by link and start
  std::vector<std::uint32_t>
      made_nodes_;  // rows of forward launches with a call site, by node and start
};

}  // namespace laptime
