// A call graph without its recursions, and the share of a callee's time that belongs to each call.
//
// Assumption: a function spends its time in the same proportions for every caller. Only (caller,
// callee) pairs are counted, so nothing better can be known. Calls that lead back to a running
// function are removed. Their time counts as the outermost call's.
// Consequence: the callers share each function's own time completely and once. So times add up at
// every node of any tree made from this graph.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/code/call_graph.h"

namespace laptime {

struct DagCall {
  std::uint32_t callee;  // CallGraph::functions
  double share;          // of the callee's total time
};

struct DagFunction {
  std::vector<DagCall> calls;
  double root_share = 0;    // of time in calls from unknown callers
  double inclusive_ns = 0;  // own time and that of all callees
};

// By row of CallGraph::functions.
std::vector<DagFunction> build_call_dag(const CallGraph& graph);

}  // namespace laptime
