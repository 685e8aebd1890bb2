#include "analyze/calltree.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <queue>

#include "analyze/components.h"

namespace laptime {

namespace {

double real(std::uint64_t n) { return static_cast<double>(n); }

// Grows the tree where most time is, so that a limit on nodes cuts the least.
class TreeBuilder {
 public:
  TreeBuilder(const CallGraph& graph, const CallTreeLimits& limits) : graph_(graph), limits_(limits) {}

  std::vector<CallNode> build() {
    add_roots();
    for (const CallNode& root : nodes_) total_ns_ += root.total_ns;
    while (!waiting_.empty()) {
      const std::uint32_t node = waiting_.top().second;
      waiting_.pop();
      expand(node);
    }
    return depth_first();
  }

 private:
  void add_roots();
  void expand(std::uint32_t parent);
  std::vector<CallNode> children_of(std::uint32_t parent) const;
  bool on_path(std::uint32_t node, std::uint32_t function) const;
  bool has_room_for(const CallNode& child) const;
  void add(const CallNode& node);
  std::vector<CallNode> depth_first() const;

  const CallGraph& graph_;
  const CallTreeLimits& limits_;
  std::vector<CallNode> nodes_;
  std::priority_queue<std::pair<double, std::uint32_t>> waiting_;
  double total_ns_ = 0;
};

void TreeBuilder::add(const CallNode& node) {
  if (node.left_out == 0) waiting_.push({node.total_ns, static_cast<std::uint32_t>(nodes_.size())});
  nodes_.push_back(node);
}

// A function that was called by nobody we know of is a root, with the time that no known caller has. Callers within its
// own recursion do not count: what they took is part of the outermost call.
void TreeBuilder::add_roots() {
  std::vector<std::vector<std::uint32_t>> targets(graph_.functions.size());
  for (std::uint32_t f = 0; f < targets.size(); ++f)
    for (const CallEdge& edge : graph_.functions[f].callees) targets[f].push_back(edge.function);
  const std::vector<std::uint32_t> component = find_components(targets);
  for (std::uint32_t f = 0; f < targets.size(); ++f) {
    const Function& function = graph_.functions[f];
    std::uint64_t calls = 0, cumulative_ns = 0;
    for (const CallEdge& edge : function.callers) {
      calls += edge.totals.calls;
      if (component[edge.function] != component[f]) cumulative_ns += edge.totals.cumulative_ns;
    }
    if (function.totals.calls <= calls || function.totals.cumulative_ns < cumulative_ns) continue;
    const double total = real(function.totals.cumulative_ns - cumulative_ns);
    add({f, kNoNode, 0, real(function.totals.calls - calls), total, total, 0});
  }
}

bool TreeBuilder::on_path(std::uint32_t node, std::uint32_t function) const {
  for (; node != kNoNode; node = nodes_[node].parent)
    if (nodes_[node].function == function) return true;
  return false;
}

bool TreeBuilder::has_room_for(const CallNode& child) const {
  return child.depth < limits_.depth && nodes_.size() < limits_.nodes && child.total_ns >= limits_.least_share * total_ns_;
}

std::vector<CallNode> TreeBuilder::children_of(std::uint32_t parent) const {
  const CallNode& node = nodes_[parent];
  const Function& function = graph_.functions[node.function];
  std::vector<CallNode> children;
  if (function.totals.cumulative_ns == 0) return children;
  const double share = node.total_ns / real(function.totals.cumulative_ns);
  double sum = 0;
  for (const CallEdge& edge : function.callees) {
    if (on_path(parent, edge.function)) continue;
    const double total = real(edge.totals.cumulative_ns) * share;
    sum += total;
    children.push_back({edge.function, parent, node.depth + 1, real(edge.totals.calls) * share, total, total, 0});
  }
  // Under recursion edges may add up to more than the function.
  if (sum > node.total_ns)
    for (CallNode& child : children) child.total_ns = child.self_ns = child.total_ns * (node.total_ns / sum);
  return children;
}

void TreeBuilder::expand(std::uint32_t parent) {
  CallNode rest{kNoNode, parent, nodes_[parent].depth + 1, 0, 0, 0, 0};
  for (const CallNode& child : children_of(parent)) {
    nodes_[parent].self_ns -= child.total_ns;
    if (has_room_for(child)) {
      add(child);
      continue;
    }
    ++rest.left_out;
    rest.calls += child.calls;
    rest.total_ns += child.total_ns;
  }
  nodes_[parent].self_ns = std::max(0.0, nodes_[parent].self_ns);
  rest.self_ns = rest.total_ns;
  if (rest.left_out > 0) add(rest);
}

std::vector<CallNode> TreeBuilder::depth_first() const {
  std::vector<std::uint32_t> order(nodes_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  // The smallest first, and what is left out before all: the stack below turns siblings around.
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const CallNode &x = nodes_[a], &y = nodes_[b];
    return std::pair(x.left_out == 0, x.total_ns) < std::pair(y.left_out == 0, y.total_ns);
  });
  std::vector<std::vector<std::uint32_t>> children(nodes_.size());
  std::vector<std::uint32_t> stack;
  for (const std::uint32_t i : order) (nodes_[i].parent == kNoNode ? stack : children[nodes_[i].parent]).push_back(i);
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

Row tree_row(const Run& run, const CallGraph& graph, const CallNode& node) {
  Row row{integer_cell(node.depth)};
  if (node.left_out > 0) {
    row.insert(row.end(), {fmt::format("({} more, left out)", node.left_out), kUnknown, kUnknown});
  } else {
    const Code& code = run.codes[graph.functions[node.function].code];
    row.insert(row.end(), {std::string(run.strings[code.name]), std::string(run.strings[code.file]), integer_cell(code.first_line)});
  }
  for (const double number : {node.calls, node.total_ns, node.self_ns}) row.push_back(static_cast<std::int64_t>(std::llround(number)));
  return row;
}

}  // namespace

std::vector<CallNode> build_call_tree(const CallGraph& graph, const CallTreeLimits& limits) { return TreeBuilder(graph, limits).build(); }

std::string node_label(const Run& run, const CallGraph& graph, const CallNode& node) {
  if (node.left_out > 0) return fmt::format("({} more)", node.left_out);
  const Code& code = run.codes[graph.functions[node.function].code];
  const std::string_view file = run.strings[code.file], name = run.strings[code.name];
  if (code.flags & kCodeBuiltin) return std::string(name);
  return fmt::format("{} ({}:{})", name, file.substr(file.rfind('/') + 1), code.first_line);
}

Table calltree_table(const Run& run) {
  Table table{"calltree",
              "Call tree",
              {{"depth", ColumnType::integer},
               {"name", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"calls", ColumnType::integer, Unit::count},
               {"total_ns", ColumnType::integer, Unit::ns},
               {"self_ns", ColumnType::integer, Unit::ns}},
              {}};
  const CallGraph graph = build_call_graph(run);
  for (const CallNode& node : build_call_tree(graph)) table.rows.push_back(tree_row(run, graph, node));
  return table;
}

}  // namespace laptime
