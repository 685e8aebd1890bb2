#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

std::vector<Finding> find(const Evidence& evidence) {
  if (!evidence.knows_gpu()) return {};
  double ns = 0, calls = 0;
  const StepWork* largest = nullptr;
  for (const StepWork& work : evidence.gpu().work()) {
    if (work.kind != SpanKind::kernel || (work.name.find("nchwToNhwc") == std::string::npos && work.name.find("nhwcToNchw") == std::string::npos)) continue;
    ns += work.ns;
    calls += work.calls;
    if (!largest || work.ns > largest->ns) largest = &work;
  }
  if (!largest) return {};
  const double part = evidence.gpu().exposed_ns(ns);
  return {{largest->file, largest->line, evidence.share(part), predict(evidence.step_ns(), Part{part, 0}, {0, 0.4}), Confidence::high,
           fmt::format("cuDNN turns images from NCHW to NHWC and back for every convolution, {} a step: {}.", counted(calls, "time", "times"), of_a_step(evidence, part)),
           "model = model.to(memory_format=torch.channels_last); images = images.to(device, memory_format=torch.channels_last)"}};
}

}  // namespace

const Rule kChannelsLast{
    "channels-last",
    "Images are turned around for every convolution",
    "cuDNN's kernels that turn NCHW into NHWC, or back, take a part of the step.",
    "images are channels_last already, or nothing is turned.",
    "`model.to(memory_format=torch.channels_last)`, and the same for the images, once before the loop or as they come.",
    "the turning goes, but for at most 40 %.",
    find};

}  // namespace laptime
