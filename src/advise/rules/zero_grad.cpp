#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

std::vector<Finding> find(const Evidence& evidence) {
  double ns = 0, calls = 0;
  const StepOp* largest = nullptr;
  for (const StepOp& op : evidence.ops()) {
    if (!op.within.starts_with("Optimizer.zero_grad#") || (op.name != "aten::zero_" && op.name != "aten::_foreach_zero_")) continue;
    ns += op.total_ns;
    calls += op.calls;
    if (!largest || op.total_ns > largest->total_ns) largest = &op;
  }
  if (!largest) return {};
  return {{largest->file, largest->line, evidence.share(ns), predict(evidence.step_ns(), Part{ns, 0}, {0, 0.3}), Confidence::medium,
           fmt::format("Gradients are filled with zeros in every step, {}, only to be added to: {}.", counted(calls, "fill", "fills"), of_a_step(evidence, ns)),
           "optimizer.zero_grad(set_to_none=True), which is the default: leave set_to_none=False out"}};
}

}  // namespace

const Rule kZeroGrad{
    "zero-grad",
    "Gradients are zeroed instead of dropped",
    "ops that fill with zeros run inside the optimizer's `zero_grad`.",
    "gradients are set to None, as is the default since torch 2.0.",
    "`optimizer.zero_grad()` without `set_to_none=False`. Code that reads `p.grad` before backward must then expect None.",
    "the filling goes, but for at most 30 %; that backward then need not add is not counted.",
    find};

}  // namespace laptime
