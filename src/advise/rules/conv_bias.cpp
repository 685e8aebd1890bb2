#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

// Adding a bias is an elementwise kernel in a convolution's forward op. Its gradient is a reduction
// in backward.
bool is_bias_work(std::string_view kernel, std::string_view op) {
  return is_convolution(op) && (kernel.find("elementwise_kernel") != std::string_view::npos ||
                                kernel.find("reduce_kernel") != std::string_view::npos);
}

std::vector<Finding> find_conv_bias(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (settings.idle_biases == 0 || !evidence.knows_gpu()) return {};
  double ns = 0;
  const StepWork* largest = nullptr;
  for (const StepWork& work : evidence.gpu().work()) {
    if (work.kind != SpanKind::kernel || !is_bias_work(work.name, work.op)) continue;
    ns += work.ns;
    if (!largest || work.ns > largest->ns) largest = &work;
  }
  if (!largest) return {};
  const double part = evidence.gpu().exposed_ns(ns);
  return {{largest->file, largest->line, evidence.share(part), std::nullopt, Confidence::medium,
           fmt::format("{} convolutions add a bias that the next batch norm removes again ({}): "
                       "{}.",
                       settings.idle_biases, settings.idle_bias_names, of_a_step(evidence, part)),
           "nn.Conv2d(…, bias=False) before nn.BatchNorm2d",
           replay::work_change(is_bias_work, 0.25, 0.05, 0.5)}};
}

}  // namespace

const Rule kConvBias{
    "conv-bias",
    "A bias that batch norm removes again",
    "convolutions with a bias are directly before a batch norm in their module, and kernels "
    "that add biases or sum their gradients take a part of the step.",
    "the program runs on a CPU, where the bias costs almost nothing, or such kernels are short.",
    "`nn.Conv2d(…, bias=False)`: the batch norm has a bias of its own.",
    "by a replay of the run: 5 to 50 % of these kernels' time remains. If the host bounds the "
    "step, nothing is gained.",
    find_conv_bias};

}  // namespace laptime
