#include "trace/code/call_dag.h"

#include <algorithm>
#include <numeric>

namespace laptime {

namespace {

class DagBuilder {
 public:
  explicit DagBuilder(const CallGraph& graph)
      : graph_(graph),
        dag_(graph.functions.size()),
        state_(dag_.size(), State::unseen),
        weight_(dag_.size(), 0) {}

  std::vector<DagFunction> build() {
    const std::vector<std::uint32_t> order = by_falling_time();
    for (const std::uint32_t f : order)
      if (unexplained_calls(f) > 0 && state_[f] == State::unseen) visit_from(f);
    for (const std::uint32_t f : order)  // recursions without a known entry
      if (state_[f] == State::unseen) visit_from(f);
    for (std::uint32_t f = 0; f < dag_.size(); ++f) weigh_root(f);
    for (const std::uint32_t f : finished_) finish(f);
    return std::move(dag_);
  }

 private:
  enum class State : std::uint8_t { unseen, open, done };
  struct Visit {
    std::uint32_t function;
    std::size_t next = 0;
  };

  std::vector<std::uint32_t> by_falling_time() const {
    std::vector<std::uint32_t> order(dag_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return graph_.functions[a].totals.cumulative_ns > graph_.functions[b].totals.cumulative_ns;
    });
    return order;
  }

  std::uint64_t unexplained_calls(std::uint32_t f) const {
    std::uint64_t known = 0;
    for (const CallEdge& edge : graph_.functions[f].callers) known += edge.totals.calls;
    return graph_.functions[f].totals.calls > known ? graph_.functions[f].totals.calls - known : 0;
  }

  void visit_from(std::uint32_t root);
  void add_call(std::uint32_t caller, const CallEdge& edge);
  void weigh_root(std::uint32_t f);
  void finish(std::uint32_t f);

  const CallGraph& graph_;
  std::vector<DagFunction> dag_;
  std::vector<State> state_;
  std::vector<double> weight_;           // of all calls of a function that are kept
  std::vector<std::uint32_t> finished_;  // callees before their callers
};

// Depth first along the heaviest calls, so that the removed recursive calls are the light ones.
// Uses its own stack: a hostile graph may be a chain of millions.
void DagBuilder::visit_from(std::uint32_t root) {
  std::vector<Visit> visits{{root}};
  state_[root] = State::open;
  while (!visits.empty()) {
    Visit& visit = visits.back();
    const auto& callees = graph_.functions[visit.function].callees;
    if (visit.next == callees.size()) {
      state_[visit.function] = State::done;
      finished_.push_back(visit.function);
      visits.pop_back();
      continue;
    }
    const CallEdge& edge = callees[visit.next++];
    if (state_[edge.function] == State::open) continue;
    add_call(visit.function, edge);
    if (state_[edge.function] == State::done) continue;
    state_[edge.function] = State::open;
    visits.push_back({edge.function});
  }
}

// The weight of a call is its time, and slightly more than 0 for a call without time.
void DagBuilder::add_call(std::uint32_t caller, const CallEdge& edge) {
  const double weight = static_cast<double>(edge.totals.cumulative_ns) +
                        1e-9 * static_cast<double>(edge.totals.calls);
  dag_[caller].calls.push_back({edge.function, weight});
  weight_[edge.function] += weight;
}

// Weight that no kept call explains belongs to the root. A function that no kept call reaches is a
// root in any case.
void DagBuilder::weigh_root(std::uint32_t f) {
  const double missing = static_cast<double>(graph_.functions[f].totals.cumulative_ns) - weight_[f];
  double weight = unexplained_calls(f) > 0 ? std::max(0.0, missing) : 0;
  if (weight_[f] == 0 && weight == 0) weight = 1;
  weight_[f] += weight;
  dag_[f].root_share = weight / weight_[f];
}

void DagBuilder::finish(std::uint32_t f) {
  DagFunction& function = dag_[f];
  function.inclusive_ns = static_cast<double>(graph_.functions[f].totals.own_ns);
  for (DagCall& call : function.calls) {
    call.share /= weight_[call.callee];
    function.inclusive_ns += dag_[call.callee].inclusive_ns * call.share;
  }
}

}  // namespace

std::vector<DagFunction> build_call_dag(const CallGraph& graph) {
  return DagBuilder(graph).build();
}

}  // namespace laptime
