#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

bool turns(std::string_view kernel) { return kernel.find("nchwToNhwc") != std::string_view::npos || kernel.find("nhwcToNchw") != std::string_view::npos; }

std::vector<Finding> find_channels_last(const Evidence& evidence) {
  if (!evidence.knows_gpu()) return {};
  double ns = 0, calls = 0;
  const StepWork* largest = nullptr;
  for (const StepWork& work : evidence.gpu().work()) {
    if (work.kind != SpanKind::kernel || !turns(work.name)) continue;
    ns += work.ns;
    calls += work.calls;
    if (!largest || work.ns > largest->ns) largest = &work;
  }
  if (!largest) return {};
  const double part = evidence.gpu().exposed_ns(ns);
  return {{largest->file, largest->line, evidence.share(part), std::nullopt, Confidence::high,
           fmt::format("cuDNN turns images from NCHW to NHWC and back for every convolution, {} a step: {}.", counted(calls, "time", "times"), of_a_step(evidence, part)),
           "model = model.to(memory_format=torch.channels_last); images = images.to(device, memory_format=torch.channels_last)", whatif::work_change([](std::string_view kernel, std::string_view) { return turns(kernel); }, 0.2, 0, 0.4)}};
}

}  // namespace

const Rule kChannelsLast{
    "channels-last",
    "Images are turned around for every convolution",
    "cuDNN's kernels that turn NCHW into NHWC, or back, take a part of the step.",
    "images are channels_last already, or nothing is turned.",
    "`model.to(memory_format=torch.channels_last)`, and the same for the images, once before the loop or as they come.",
    "by a replay of the run: the turning goes, but for at most 40 %. Where the host bounds the step nothing is gained.",
    find_channels_last};

}  // namespace laptime
