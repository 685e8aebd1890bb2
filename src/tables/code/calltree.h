// Table `calltree`: a call tree from a call graph, as snakeviz draws it. call_dag.h states the
// assumptions.
//
// Contract: a node's time is its own plus that of its children. A recursion is one node with the
// calls and times of all levels. The size of the tree is limited: functions left out below a node
// are one child of it.
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
  std::uint32_t left_out;  // how many functions this node represents; 0: an ordinary node
};

struct CallTreeLimits {
  std::uint32_t depth = 100;
  std::size_t nodes = 10'000;
  double least_share = 1e-5;  // of the tree's time
};

// Depth first, siblings in falling order of time.
std::vector<CallNode> build_call_tree(const CallGraph& graph, const CallTreeLimits& limits = {});

// "name (file.py:12)", or "(3 more)".
std::string node_label(const Run& run, const CallGraph& graph, const CallNode& node);

Table calltree_table(const Analysis& analysis);
extern const TableDefinition kCalltreeTable;

}  // namespace laptime
