#include "advise/evidence/products.h"

#include <algorithm>

#include "trace/gpu/device_facts.h"

namespace laptime {

namespace {

// Times the ratio of the peaks. H200, fp32 to TF32 (0.135): products of a GPT had 0.14 to 0.16
// left.
constexpr double kAtBest = 0.9, kUsual = 1.3, kAtWorst = 2.6;

}  // namespace

bool multiplies_in(std::string_view kernel, Precision precision) {
  return math_of_kernel(kernel).precision == precision;
}

Products products_of(const GpuSteps& gpu, std::initializer_list<Precision> precisions,
                     bool (*counts)(const StepWork&)) {
  Products products;
  for (const StepWork& work : gpu.work()) {
    if (work.kind != SpanKind::kernel || (counts && !counts(work))) continue;
    const auto precision = math_of_kernel(work.name).precision;
    if (!precision ||
        std::find(precisions.begin(), precisions.end(), *precision) == precisions.end())
      continue;
    products.ns += work.ns;
    if (!products.largest || work.ns > products.largest->ns) products.largest = &work;
  }
  return products;
}

std::optional<Left> left_on_card(const Evidence& evidence, Precision from, Precision to) {
  const DevicePeaks peaks = device_peaks(evidence.process(), 0);
  const auto slow = static_cast<double>(peaks.flops_per_s(from)),
             fast = static_cast<double>(peaks.flops_per_s(to));
  if (slow <= 0 || fast <= 0) return std::nullopt;
  return Left{std::min(1.0, kUsual * slow / fast), std::min(1.0, kAtBest * slow / fast),
              std::min(1.0, kAtWorst * slow / fast)};
}

}  // namespace laptime
