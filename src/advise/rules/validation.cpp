#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "format/names.h"

namespace laptime {

namespace {

constexpr double kLargeShare = 0.25;  // of training and validation together

std::vector<Finding> find_validation(const Evidence& evidence) {
  const Run& run = evidence.run();
  const std::uint32_t validation = run.strings.find(span_name::kValidation);
  double total = 0;
  std::size_t count = 0;
  for (const Step& step : evidence.analysis().steps()) {
    if (step.phase != validation || step.phase == evidence.main_phase().phase() ||
        step.track != evidence.main_phase().track())
      continue;
    // As for the main phase: programs may start up in a validation before training.
    if (!step.counts) continue;
    total += static_cast<double>(step.wall_ns);
    ++count;
  }
  const double share = total / (total + evidence.main_phase().total_ns());
  if (count < kFewestSteps || share < kLargeShare) return {};
  const double part = total / static_cast<double>(evidence.main_phase().steps().size());
  return {{"", 0, share, predict(evidence.step_ns() + part, Part{part, 0}, {0.25, 0.6}),
           Confidence::low,
           fmt::format("Validation takes {} of the time of training and validation: {} steps for "
                       "{} of training.",
                       percent(share), count, evidence.main_phase().steps().size()),
           "Validate less often, on a part of the data, or in larger batches: without gradients "
           "they fit"}};
}

}  // namespace

const Rule kValidation{
    "validation",
    "Validation takes a large part of the run",
    "validation takes at least a quarter of the time of training and validation together.",
    "it takes less: some is needed.",
    "Validate less often, or on a part of the data. Use larger batches and "
    "`torch.inference_mode()` in validation, and loader workers for its loader.",
    "40 to 75 % of validation is saved. The gain is in training steps over the whole run.",
    find_validation};

}  // namespace laptime
