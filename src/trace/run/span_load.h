// Decodes the span blocks of a run, in parallel, each straight into its place in its track's
// columns; names and clocks are put right while the block is still in the cache.
//
// Assumption: the caller has checked that the rows which the blocks promise fit into memory.
// Contract: rows of a block that does not decode are taken out again, and the block is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/clock_map.h"
#include "trace/run/part_facts.h"
#include "trace/run/run.h"

namespace laptime {

class SpanLoader {
 public:
  explicit SpanLoader(Run& run) : run_(run) {}

  // Blocks of a track are added in recording order. What is pointed to must live until load() is
  // done.
  void add(std::uint32_t track, const Block& block, const PartFacts& facts, const ClockMap& clock);

  struct Outcome {
    std::uint64_t damaged_blocks = 0;
    std::int64_t last_ns = 0;
  };
  Outcome load();

 private:
  struct Job {
    const Block* block;
    const PartFacts* facts;
    const ClockMap* clock;
    std::uint32_t track;
    std::size_t row;  // first in its track
    bool good = false;
    std::int64_t last_ns = 0;
    ArgColumns args{};        // rows counted from the block's first
    SpanPayloads payloads{};  // the same
  };
  struct TrackPlan {
    std::size_t rows = 0;
    bool has_links = false;
    bool damaged = false;
    std::vector<std::size_t> jobs;
  };

  void allocate();
  void decode(Job& job);
  void remove_damaged(TrackPlan& plan, SpanColumns& spans);
  void gather_args(const TrackPlan& plan, Spans& spans);

  Run& run_;
  std::vector<Job> jobs_;
  std::vector<TrackPlan> plans_;  // by track
};

}  // namespace laptime
