#include "tables/code/calltree.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <queue>

#include "trace/analysis.h"
#include "trace/code/call_dag.h"

namespace laptime {

namespace {

// Grows the tree where most time is, so that a limit on nodes cuts off the least time.
class TreeBuilder {
 public:
  TreeBuilder(const CallGraph& graph, const CallTreeLimits& limits)
      : graph_(graph), limits_(limits), dag_(build_call_dag(graph)) {}

  std::vector<CallNode> build() {
    for (std::uint32_t f = 0; f < dag_.size(); ++f)
      if (dag_[f].root_share > 0 && graph_.functions[f].counted)
        add(make(f, dag_[f].root_share, kNoNode, 0), dag_[f].root_share);
    for (const CallNode& root : nodes_) total_ns_ += root.total_ns;
    while (!waiting_.empty()) {
      const Waiting next = waiting_.top();
      waiting_.pop();
      expand(next.node, next.share);
    }
    return depth_first();
  }

 private:
  struct Waiting {
    double total_ns, share;  // share: of the function's total time
    std::uint32_t node;
    bool operator<(const Waiting& other) const { return total_ns < other.total_ns; }
  };

  CallNode make(std::uint32_t function, double share, std::uint32_t parent,
                std::uint32_t depth) const {
    const CallTotals& totals = graph_.functions[function].totals;
    return {function,
            parent,
            depth,
            static_cast<double>(totals.calls) * share,
            dag_[function].inclusive_ns * share,
            static_cast<double>(totals.own_ns) * share,
            0};
  }
  void add(const CallNode& node, double share) {
    waiting_.push({node.total_ns, share, static_cast<std::uint32_t>(nodes_.size())});
    nodes_.push_back(node);
  }
  bool has_room_for(const CallNode& child) const {
    return child.depth < limits_.depth && nodes_.size() < limits_.nodes &&
           child.total_ns >= limits_.least_share * total_ns_;
  }
  void expand(std::uint32_t parent, double share);
  std::vector<CallNode> depth_first() const;

  const CallGraph& graph_;
  const CallTreeLimits& limits_;
  std::vector<DagFunction> dag_;
  std::vector<CallNode> nodes_;
  std::priority_queue<Waiting> waiting_;
  double total_ns_ = 0;
};

void TreeBuilder::expand(std::uint32_t parent, double share) {
  const CallNode node = nodes_[parent];
  CallNode rest{kNoNode, parent, node.depth + 1, 0, 0, 0, 0};
  for (const DagCall& call : dag_[node.function].calls) {
    const CallNode child = make(call.callee, share * call.share, parent, node.depth + 1);
    if (has_room_for(child)) {
      add(child, share * call.share);
      continue;
    }
    ++rest.left_out;
    rest.calls += child.calls;
    rest.total_ns += child.total_ns;
  }
  rest.self_ns = rest.total_ns;
  if (rest.left_out > 0) nodes_.push_back(rest);
}

std::vector<CallNode> TreeBuilder::depth_first() const {
  std::vector<std::uint32_t> order(nodes_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  // Smallest first, left-out functions before all: the stack below reverses the order of siblings.
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const CallNode &x = nodes_[a], &y = nodes_[b];
    return std::pair(x.left_out == 0, x.total_ns) < std::pair(y.left_out == 0, y.total_ns);
  });
  std::vector<std::vector<std::uint32_t>> children(nodes_.size());
  std::vector<std::uint32_t> stack;
  for (const std::uint32_t i : order)
    (nodes_[i].parent == kNoNode ? stack : children[nodes_[i].parent]).push_back(i);
  std::vector<std::uint32_t> place(nodes_.size(), kNoNode);
  std::vector<CallNode> result;
  while (!stack.empty()) {
    const std::uint32_t i = stack.back();
    stack.pop_back();
    place[i] = static_cast<std::uint32_t>(result.size());
    result.push_back(nodes_[i]);
    if (nodes_[i].parent != kNoNode) result.back().parent = place[nodes_[i].parent];
    stack.insert(stack.end(), children[i].begin(), children[i].end());
  }
  return result;
}

struct TreeRow {
  const Run& run;
  const CallGraph& graph;
  const CallNode& node;

  const Code* code() const {  // null: functions that were left out
    return node.left_out > 0 ? nullptr : &run.codes[graph.functions[node.function].code];
  }
};

constexpr ColumnOf<TreeRow> kTreeColumns[] = {
    {"depth", "How many callers are above it.", [](auto& r) { return r.node.depth; }},
    {"name", "The function, or how many were left out.",
     [](auto& r) {
       return r.code() ? std::string(r.run.strings[r.code()->name])
                       : fmt::format("({} more, left out)", r.node.left_out);
     }},
    {"file", "Its file.",
     [](auto& r) {
       return r.code() ? std::optional(r.run.strings[r.code()->file]) : std::nullopt;
     }},
    {"line", "Its first line.",
     [](auto& r) { return r.code() ? std::optional(r.code()->first_line) : std::nullopt; }},
    {"calls", Unit::count, "How often it was called from there.",
     [](auto& r) { return std::llround(r.node.calls); }},
    {"total_ns", Unit::ns, "Its time, with the functions below it.",
     [](auto& r) { return std::llround(r.node.total_ns); }},
    {"self_ns", Unit::ns, "Its own time.", [](auto& r) { return std::llround(r.node.self_ns); }}};
constexpr TableOf<TreeRow> kCalltree{"calltree", kTreeColumns};
}  // namespace

std::vector<CallNode> build_call_tree(const CallGraph& graph, const CallTreeLimits& limits) {
  return TreeBuilder(graph, limits).build();
}

std::string node_label(const Run& run, const CallGraph& graph, const CallNode& node) {
  if (node.left_out > 0) return fmt::format("({} more)", node.left_out);
  const Code& code = run.codes[graph.functions[node.function].code];
  const std::string_view file = run.strings[code.file], name = run.strings[code.name];
  if (code.flags & kCodeBuiltin) return std::string(name);
  return fmt::format("{} ({}:{})", name, file.substr(file.rfind('/') + 1), code.first_line);
}

Table calltree_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = kCalltree.empty("Call tree");
  const CallGraph graph = build_call_graph(run);
  for (const CallNode& node : build_call_tree(graph)) kCalltree.add(table, {run, graph, node});
  return table;
}

constinit const TableDefinition kCalltreeTable =
    define_table<kCalltree>("functions below their callers",
                            R"(
A function's time is its own and that of the functions below it. A recursion is one row. A tree
has at most 10,000 rows; functions that were left out are one row below their caller.)",
                            calltree_table);

}  // namespace laptime
