// A call graph without its recursions, and what each call carries of its callee.
//
// Assumption: a function spends its time in the same proportions whoever calls it; only (caller,
// callee) pairs are counted, so nothing better can be known. Calls that lead back to a function
// that is still running are taken out: what is done in them counts as done in the outermost call.
// Consequence: every function's own time is shared out among those who call it, whole and once, so
// times add up at every node of any tree made from this.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/code/call_graph.h"

namespace laptime {

struct DagCall {
  std::uint32_t callee;  // CallGraph::functions
  double share;          // of all that the callee does
};

struct DagFunction {
  std::vector<DagCall> calls;
  double root_share = 0;    // what is done in calls from nobody known
  double inclusive_ns = 0;  // own time and that of all it calls
};

// One for each of CallGraph::functions.
std::vector<DagFunction> build_call_dag(const CallGraph& graph);

}  // namespace laptime
