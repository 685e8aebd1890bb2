// The origin of each launch: its line, the op around it, and whether it belongs to forward,
// backward or the optimizer.
//
// With op records a launch belongs to the call site of the innermost op around it on its thread
// (attribution.h). A launch outside all ops (the program's own Triton kernel) has the line that was
// read at the launch.
//
// Without op records:
// - A launch has the line that was read at the launch. In backward this holds only where Python
//   launched: a checkpoint's repeated forward pass, a Function's backward.
// - Any other backward launch gets the line of the first launch after its autograd node was made.
// - A node that launched nothing itself (a view) lies between two launches. It gets the line of the
//   earlier one, which is a guess.
// - AccumulateGrad has no number. It gets the line of the previous launch on its thread.
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
  std::uint32_t op = 0;  // Run::strings: the outermost op around it or the backward node; 0 none
  std::uint32_t call_site = 0;  // Run::call_sites, 0 unknown
  OpPass pass = OpPass::forward;
  std::uint32_t op_row = kNoRow;  // of its track: the innermost span of the op tree around it
};

// The launches of one process.
class Launches {
 public:
  // `tracks`: those of one process.
  Launches(const Run& run, const OpAttribution& ops, const std::vector<std::uint32_t>& tracks);

  const std::vector<Launch>& all() const { return launches_; }
  // The last launch with this link that began no later than `time`. Null: none was recorded.
  const Launch* find(std::uint64_t link, std::int64_t time) const;
  // Whether any launch with this link was recorded, at any time.
  bool has(std::uint64_t link) const { return link != 0 && by_link_.find(link); }
  // The launch that captured the node of a CUDA graph. Null: unknown.
  const Launch* find_graph_node(std::uint64_t link) const;

 private:
  void add_track(const Run& run, const TrackOps& ops, std::uint32_t track);
  void find_backward_call_sites();
  std::uint32_t call_site_of_node(std::uint64_t node) const;

  struct Node {  // what a launch knows of autograd
    // With a call site: the last node made. Else: the node that ran the launch.
    std::uint64_t link = 0;
    bool backward = false;
    bool has_line = false;  // the launch recorded its own line
    bool done = false;      // the call site comes from an op
  };
  std::vector<Launch> launches_;        // by track, then in the order of their ends
  std::vector<Node> nodes_;             // the same rows
  FlatMap<std::uint32_t> by_link_;      // → first of its launches in by_time_ + 1
  std::vector<std::uint32_t> by_time_;  // rows, by link and start
  std::vector<std::uint32_t>
      made_nodes_;  // rows of forward launches with a call site, by node and start
};

}  // namespace laptime
