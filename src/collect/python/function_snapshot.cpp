#include "collect/python/function_snapshot.h"

namespace laptime::python {

namespace {
FunctionLabel label_of(const Callable& callable) { return {callable.file, callable.first_line, callable.name}; }
}  // namespace

void FunctionTotals::add(const CallCounter& counter) {
  calls += counter.calls;
  primitive_calls += counter.calls - counter.recursive_calls;
  own_ticks += counter.own;
  cumulative_ticks += counter.cumulative;
}

std::map<FunctionLabel, FunctionRow> snapshot_functions(const std::vector<const ThreadSlot*>& slots) {
  std::map<FunctionLabel, FunctionRow> rows;
  for (const ThreadSlot* slot : slots) {
    for (std::uint32_t id = 0; id < slot->functions.size(); ++id) {
      const FunctionCounter* counter = slot->functions.get(id);
      if (counter != nullptr && counter->calls != 0) rows[label_of(*counter->callable)].totals.add(*counter);
    }
    for (const auto& edge : slot->calls.edges().edges()) {
      if (edge->calls == 0) continue;
      rows[label_of(*edge->callee->callable)].callers[label_of(*edge->caller->callable)].add(*edge);
    }
  }
  return rows;
}

}  // namespace laptime::python
