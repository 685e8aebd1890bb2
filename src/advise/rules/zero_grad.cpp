#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "format/names.h"

namespace laptime {

namespace {

constexpr Range kLeft{0.05, 0.7};  // of zero_grad: it still visits all parameters

replay::Changes zero_grad_in_general() {
  return replay::scale_change("Optimizer.zero_grad*", 0.3, 0.05, 0.7);
}

std::vector<Finding> find_zero_grad(const Evidence& evidence) {
  double ns = 0, calls = 0;
  const StepOp* largest = nullptr;
  for (const StepOp& op : evidence.ops()) {
    if (!op.within.starts_with(span_name::kOptimizerZeroGrad) ||
        (op.name != "aten::zero_" && op.name != "aten::_foreach_zero_"))
      continue;
    ns += op.total_ns;
    calls += op.calls;
    if (!largest || op.total_ns > largest->total_ns) largest = &op;
  }
  if (!largest) return {};
  const auto& optimizers = evidence.settings().optimizers;
  const bool is_placed = !largest->file.empty() || optimizers.empty();
  return {
      {is_placed ? largest->file : optimizers.front().file,
       is_placed ? largest->line : optimizers.front().line, evidence.share(ns), std::nullopt,
       Confidence::medium,
       fmt::format("Gradients are filled with zeros in every step, {}, only to be added to: {}.",
                   counted(calls, "fill", "fills"), of_a_step(evidence, ns)),
       "optimizer.zero_grad(set_to_none=True), which is the default: leave set_to_none=False out",
       shrunk("Optimizer.zero_grad*", kLeft)}};
}

}  // namespace

const Rule kZeroGrad{
    "zero-grad",
    "Gradients are zeroed instead of dropped",
    "ops that fill with zeros run inside the optimizer's `zero_grad`.",
    "gradients are set to None, as is the default since torch 2.0.",
    "`optimizer.zero_grad()` without `set_to_none=False`. Code that reads `p.grad` before backward "
    "must then expect None.",
    "5 to 70 % of zero_grad remains. Backward also saves an addition, which is not counted.",
    find_zero_grad,
    Meaning::kept,
    zero_grad_in_general};

}  // namespace laptime
