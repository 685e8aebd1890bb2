// A call tree from a call graph, as snakeviz draws it (analyze/call_dag.h says what is assumed).
//
// Contract: a node's time is its own plus that of its children, always. A recursion is one node:
// its calls and times are those of all levels. The tree is bounded, and what is left out of a node
// is one child that says so.
#pragma once

#include <cstdint>
#include <vector>

#include "tables/run/columns.h"
#include "trace/analysis.h"
#include "trace/code/call_graph.h"

namespace laptime {

inline constexpr std::uint32_t kNoNode = ~0u;

struct CallNode {
  std::uint32_t function;  // CallGraph::functions; kNoNode: functions that were left out
  std::uint32_t parent;    // kNoNode: none
  std::uint32_t depth;     // from 0
  double calls, total_ns, self_ns;
  std::uint32_t left_out;  // how many functions this node stands for, 0 for an ordinary one
};

struct CallTreeLimits {
  std::uint32_t depth = 100;
  std::size_t nodes = 10'000;
  double least_share = 1e-5;  // of the tree's time
};

// Depth first, the largest of siblings first.
std::vector<CallNode> build_call_tree(const CallGraph& graph, const CallTreeLimits& limits = {});

// "name (file.py:12)", or "(3 more)".
std::string node_label(const Run& run, const CallGraph& graph, const CallNode& node);

// Table `calltree`.
Table calltree_table(const Analysis& analysis);
extern const TableDefinition kCalltreeTable;

}  // namespace laptime
