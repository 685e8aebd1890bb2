#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

// Adding a bias is an elementwise kernel in a convolution's forward op, its gradient a reduction in its backward.
bool is_bias_work(const StepWork& work) {
  const bool convolves = work.op.find("conv") != std::string::npos || work.op.find("Conv") != std::string::npos;
  return work.kind == SpanKind::kernel && convolves && (work.name.find("elementwise_kernel") != std::string::npos || work.name.find("reduce_kernel") != std::string::npos);
}

std::vector<Finding> find(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (settings.idle_biases == 0 || !evidence.knows_gpu()) return {};
  double ns = 0;
  const StepWork* largest = nullptr;
  for (const StepWork& work : evidence.gpu().work()) {
    if (!is_bias_work(work)) continue;
    ns += work.ns;
    if (!largest || work.ns > largest->ns) largest = &work;
  }
  if (!largest) return {};
  const double part = evidence.gpu().exposed_ns(ns);
  return {{largest->file, largest->line, evidence.share(part), predict(evidence.step_ns(), Part{part, 0}, {0.05, 0.5}), Confidence::medium,
           fmt::format("{} convolutions add a bias that the batch norm right behind them takes out again ({}): {}.", settings.idle_biases, settings.idle_bias_names, of_a_step(evidence, part)),
           "nn.Conv2d(…, bias=False) before nn.BatchNorm2d"}};
}

}  // namespace

const Rule kConvBias{
    "conv-bias",
    "A bias that batch norm takes out again",
    "convolutions with a bias stand right before a batch norm in their module, and kernels that add biases or sum their gradients take a part of the step.",
    "on a CPU, where it costs next to nothing, or where such kernels are short.",
    "`nn.Conv2d(…, bias=False)`: the batch norm has a bias of its own.",
    "5 to 50 % of these kernels' time is left.",
    find};

}  // namespace laptime
