#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kMostBusy = 0.5;    // above, a larger batch mostly takes proportionally longer
constexpr double kMostMemory = 0.5;  // of the device: twice the batch must fit
constexpr double kLargest = 8;       // times the batch, at once

replay::Changes larger_batch(double times) {
  replay::Changes changes;
  changes.batch = times;
  return changes;
}

replay::Changes small_batch_in_general() { return larger_batch(2); }

std::vector<Finding> find_small_batch(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (!evidence.has_batch() || !evidence.knows_gpu() || !settings.cuda_peak_bytes ||
      !settings.cuda_total_bytes || *settings.cuda_total_bytes <= 0)
    return {};
  const GpuSteps& gpu = evidence.gpu();
  const double step = evidence.step_ns(), busy = step - gpu.idle_ns(),
               input = gpu.part(DeviceCategory::idle_input).ns;
  const double memory = static_cast<double>(*settings.cuda_peak_bytes) /
                        static_cast<double>(*settings.cuda_total_bytes);
  if (evidence.share(busy) > kMostBusy || memory > kMostMemory || evidence.share(input) > kMostBusy)
    return {};
  const double times = std::min(kLargest, 1 / memory);
  return {
      {"", 0, 1 - evidence.share(busy), std::nullopt, Confidence::low,
       fmt::format("The GPU computes {} of the step and holds {} of its memory: a larger batch "
                   "costs little more time.",
                   percent(evidence.share(busy)), percent(memory)),
       fmt::format(
           "batch_size × {:.0f}; the learning rate must follow. The gain is in samples a second",
           times),
       larger_batch(times), times}};
}

}  // namespace

const Rule kSmallBatch{
    "small-batch",
    "The batch is too small for the GPU",
    "the GPU computes for at most half of the step, and at most half of its memory was ever "
    "used.",
    "it is busy, memory is short, or it waits for input. Also if no loader makes batches, for "
    "example if a step takes a whole graph.",
    "Raise `batch_size`, and the learning rate with it (usually linearly for SGD, by the square "
    "root for Adam). Fewer, larger steps train differently: check the loss.",
    "per sample, for at most 8 times the batch, by a replay of the run. Kernels grow with the "
    "batch, except for some microseconds each. At best, kernels that do not fill the GPU do not "
    "grow. Input waits, copies, CPU ops and long intervals of the program's own Python also "
    "grow. Launches cost the same.",
    find_small_batch,
    Meaning::changed,
    small_batch_in_general};

}  // namespace laptime
