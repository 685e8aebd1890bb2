#include <fmt/format.h>
#include <utility>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

// torch's own kernels read NCHW images channel by channel. cuDNN's kernels for NHWC take a fraction
// of their time.
bool normalizes(std::string_view kernel) {
  return kernel.find("batch_norm_backward_kernel") != std::string_view::npos ||
         kernel.find("batch_norm_collect_statistics_kernel") != std::string_view::npos ||
         kernel.find("batch_norm_transform_input_kernel") != std::string_view::npos;
}

bool turns(std::string_view kernel) {
  return kernel.find("nchwToNhwc") != std::string_view::npos ||
         kernel.find("nhwcToNchw") != std::string_view::npos;
}

std::vector<Finding> find_channels_last(const Evidence& evidence) {
  if (!evidence.knows_gpu()) return {};
  double ns = 0, calls = 0, normalizing = 0;
  const StepWork* largest = nullptr;
  for (const StepWork& work : evidence.gpu().work()) {
    if (work.kind == SpanKind::kernel && normalizes(work.name)) normalizing += work.ns;
    if (work.kind != SpanKind::kernel || !turns(work.name)) continue;
    ns += work.ns;
    calls += work.calls;
    if (!largest || work.ns > largest->ns) largest = &work;
  }
  if (!largest) return {};
  const double part = evidence.gpu().exposed_ns(ns),
               with_norms = evidence.gpu().exposed_ns(ns + normalizing);
  replay::Changes changes = replay::work_change(
      [](std::string_view kernel, std::string_view) { return turns(kernel); }, 0.2, 0, 0.4);
  changes.add(replay::work_change(
      [](std::string_view kernel, std::string_view) { return normalizes(kernel); }, 0.3, 0.1, 1));
  return {{largest->file, largest->line, evidence.share(with_norms), std::nullopt, Confidence::high,
           fmt::format("cuDNN converts images from NCHW to NHWC and back for every convolution, {} "
                       "a step: {}.{}",
                       counted(calls, "time", "times"), of_a_step(evidence, part),
                       normalizing > 0
                           ? fmt::format(" Batch norms of NCHW take {} more.",
                                         humane_time(evidence.gpu().exposed_ns(normalizing)))
                           : ""),
           "model = model.to(memory_format=torch.channels_last); images = images.to(device, "
           "memory_format=torch.channels_last)",
           std::move(changes)}};
}

}  // namespace

const Rule kChannelsLast{
    "channels-last",
    "Images are turned around for every convolution",
    "cuDNN's kernels that convert NCHW to NHWC, or back, take a part of the step.",
    "images are channels_last already, or nothing is converted.",
    "Call `model.to(memory_format=torch.channels_last)`. Convert the images in the same way, "
    "once before the loop or batch by batch.",
    "by a replay of the run: at most 40 % of the conversions' time remains, and 10 to 100 % of "
    "the batch norms' time. Measured on an H200: residual blocks of 128 channels in bfloat16 "
    "1.97 ×. If the host bounds the step, nothing is gained.",
    find_channels_last};

}  // namespace laptime
