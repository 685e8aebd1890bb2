// Who called whom, summed over threads, processes and steps. The source are tallies of kind call
// and edge. Equal functions are merged.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

// Whether a table adds threads up or shows each in its own rows.
enum class Threads { together, apart };

// The threads that a row is summed over. Assumption: tracks are added in the order of Run::tracks.
class RowThreads {
 public:
  void add(std::uint32_t track) {
    count_ += count_ == 0 || last_ != track;
    last_ = track;
  }
  std::uint32_t count() const { return count_; }
  std::uint32_t last() const { return last_; }  // row of Run::tracks

 private:
  std::uint32_t count_ = 0, last_ = 0;
};

struct CallTotals {
  std::uint64_t calls = 0, primitive_calls = 0;
  std::uint64_t own_ns = 0;         // tottime
  std::uint64_t cumulative_ns = 0;  // cumtime; recursion counted once
};

struct CallEdge {
  std::uint32_t
      function;       // CallGraph::functions: the caller among callers, the callee among callees
  CallTotals totals;  // of the callee when called by the caller
};

struct Function {
  std::uint32_t code;  // Run::codes
  bool counted;        // false: only known as a caller, without totals
  bool cut;            // its calls exceeded the budget: they are counted in only a part of the run
  CallTotals totals;
  RowThreads threads;
  std::vector<CallEdge> callers;
  std::vector<CallEdge> callees;  // in falling order of time
};

struct CallGraph {
  std::vector<Function> functions;
};

CallGraph build_call_graph(const Run& run);
// Of one thread, a row of Run::tracks.
CallGraph build_call_graph(const Run& run, std::uint32_t track);

}  // namespace laptime
