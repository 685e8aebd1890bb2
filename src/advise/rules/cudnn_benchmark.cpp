#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

bool convolves(std::string_view kernel, std::string_view op) {
  return is_convolution(op) && math_of_kernel(kernel).precision;
}

std::vector<Finding> find_cudnn_benchmark(const Evidence& evidence) {
  if (!evidence.knows_gpu() || evidence.settings().cudnn_benchmark.value_or(true)) return {};
  double ns = 0;
  const StepWork* largest = nullptr;
  for (const StepWork& work : evidence.gpu().work()) {
    if (work.kind != SpanKind::kernel || !convolves(work.name, work.op)) continue;
    ns += work.ns;
    if (!largest || work.ns > largest->ns) largest = &work;
  }
  if (!largest) return {};
  const double part = evidence.gpu().exposed_ns(ns);
  return {{largest->file, largest->line, evidence.share(part), std::nullopt, Confidence::low,
           fmt::format(
               "cuDNN chooses the kernels of convolutions by rules of thumb, not by trying: {}.",
               of_a_step(evidence, part)),
           "torch.backends.cudnn.benchmark = True, if the images keep their size",
           replay::work_change(convolves, 0.9, 0.8, 1)}};
}

}  // namespace

const Rule kCudnnBenchmark{
    "cudnn-benchmark",
    "cuDNN does not try its kernels",
    "convolutions take at least a fifth of the step on a GPU, and "
    "`torch.backends.cudnn.benchmark` is off.",
    "it is on, or convolutions take less.",
    "Set `torch.backends.cudnn.benchmark = True` before training. cuDNN then tries its kernels "
    "for each new image size, so it does not suit images of many sizes. Results may differ in "
    "the last digits.",
    "by a replay of the run: 0 to 20 % of the convolutions' time is saved. If the host bounds "
    "the step, nothing is gained.",
    find_cudnn_benchmark};

}  // namespace laptime
