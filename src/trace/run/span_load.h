// Decodes the span blocks of a run in parallel, each directly into its place in its track's
// columns. Names and clocks are mapped while the block is still in the cache.
//
// Assumption: the caller checked that the promised rows fit into memory.
// Contract: a block that does not decode leaves no rows and is counted.
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

  // Blocks of a track are added in recording order. Contract: the arguments live until load()
  // returns.
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
