#include "collect/python/functions/function_snapshot.h"

namespace laptime::python {

namespace {

FunctionLabel label_of(const Callable& callable) {
  return {callable.file, callable.first_line, callable.name};
}

void add_function(FunctionRows& rows, const FunctionCounter& counter) {
  if (counter.calls != 0) rows[label_of(*counter.callable)].totals.add(counter);
}

void add_edges(FunctionRows& rows, const EdgeTable& table) {
  for (const auto& edge : table.edges()) {
    if (edge->calls != 0)
      rows[label_of(*edge->callee->callable)].callers[label_of(*edge->caller->callable)].add(*edge);
  }
}

}  // namespace

void FunctionTotals::add(const CallCounter& counter) {
  calls += counter.calls;
  primitive_calls += counter.calls - counter.recursive_calls;
  own_ticks += counter.own;
  cumulative_ticks += counter.cumulative;
}

FunctionRows snapshot_functions(const std::vector<const ThreadSlot*>& slots) {
  FunctionRows rows;
  for (const ThreadSlot* slot : slots) {
    for (std::uint32_t id = 0; id < slot->functions.size(); ++id) {
      if (const FunctionCounter* counter = slot->functions.get(id)) add_function(rows, *counter);
    }
    add_edges(rows, slot->calls.edges());
  }
  return rows;
}

FunctionRows snapshot_functions(const CallLayer& layer) {
  FunctionRows rows;
  for (const auto& counter : layer.functions()) add_function(rows, *counter);
  add_edges(rows, layer.edges());
  return rows;
}

}  // namespace laptime::python
