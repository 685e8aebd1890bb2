#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"
#include "format/names.h"
#include "trace/ops/op_tree.h"

namespace laptime {

namespace {

// One call for all parameters instead of several for each. Measured on a CPU: Adam and AdamW 0.08
// to 0.4, SGD 0.3 to 0.5.
Range left_after(const OptimizerSettings& optimizer) {
  if (optimizer.device == "cuda") return {0.02, 0.3};
  return optimizer.name.starts_with("Adam") ? Range{0.08, 0.45} : Range{0.3, 0.6};
}

// The fix in the words of the framework that makes the optimizer.
std::string fused(const OptimizerSettings& optimizer) {
  if (optimizer.made_by == "transformers" && optimizer.name == "AdamW")
    return "TrainingArguments(…, optim=\"adamw_torch_fused\")";
  if (optimizer.made_by == "stable_baselines3")
    return "policy_kwargs={\"optimizer_kwargs\": {\"fused\": True}} of the algorithm";
  return fmt::format("torch.optim.{}(…, fused=True){}", optimizer.name,
                     optimizer.made_by.empty()
                         ? ""
                         : fmt::format("; {} makes it: see its options", optimizer.made_by));
}

std::string step_name(const std::string& optimizer) {
  return fmt::format("{}{}.step", span_name::kOptimizerStep, optimizer);
}

// The time of its step() per step. It is known in every step.
Part time_of_steps(const Evidence& evidence, const std::string& name) {
  const Run& run = evidence.run();
  const std::uint32_t id = run.strings.find(step_name(name)),
                      update = run.strings.find(
                          fmt::format("{}{}.step", span_name::kOptimizerUpdate, name));
  const SpanColumns& spans = run.tracks[evidence.main_phase().track()].spans;
  const auto& steps = evidence.main_phase().steps();
  std::vector<double> ns(steps.size());
  for (std::size_t row = 0; row < spans.size(); ++row) {
    if ((spans.name[row] != id && spans.name[row] != update) ||
        spans.kind[row] != SpanKind::optimizer)
      continue;
    const auto it = std::upper_bound(
        steps.begin(), steps.end(), spans.start[row],
        [](std::int64_t t, const HostStep& s) { return t < s.step.start_ns + s.step.wall_ns; });
    if (it != steps.end() && (*it).step.start_ns <= spans.start[row])
      ns[static_cast<std::size_t>(it - steps.begin())] += static_cast<double>(spans.duration[row]);
  }
  return mean_part(ns);
}

replay::Changes single_tensor_optimizer_in_general() {
  return replay::scale_change("Optimizer.step*", 0.4, 0.1, 0.7);
}

std::vector<Finding> find_single_tensor_optimizer(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const OptimizerSettings& optimizer : evidence.settings().optimizers) {
    if (optimizer.way != "single" || !optimizer.may_fuse) continue;
    const Part part = time_of_steps(evidence, optimizer.name);
    findings.push_back(
        {optimizer.file, optimizer.line, evidence.share(part.ns), std::nullopt, Confidence::medium,
         fmt::format("{} updates its {} tensors one at a time, several ops for each: {}.",
                     optimizer.name, optimizer.tensors, of_a_step(evidence, part.ns)),
         fused(optimizer), shrunk(step_name(optimizer.name), left_after(optimizer))});
  }
  return findings;
}

}  // namespace

const Rule kSingleTensorOptimizer{
    "single-tensor-optimizer",
    "The optimizer updates one tensor at a time",
    "a torch optimizer updates single tensors in a loop, which is the default on a CPU, though "
    "it could run as one fused call.",
    "it is `fused` or `foreach`, cannot be fused, or its step is short.",
    "Use `torch.optim.AdamW(…, fused=True)`. Results differ from the loop's in the last digits.",
    "on a CPU 8 to 45 % of the optimizer's step remains for Adam and AdamW, and 30 to 60 % for "
    "others (measured on networks of 6 to 72 tensors). On a GPU 2 to 30 % remains.",
    find_single_tensor_optimizer,
    Meaning::kept,
    single_tensor_optimizer_in_general};

}  // namespace laptime
