#include "analyze/mean_step.h"

#include <algorithm>

#include "analyze/typical.h"

namespace laptime {

namespace {

template <typename Get>
double mean(const HostSteps& steps, Get get) {
  double sum = 0;
  for (const HostStep* s : steps) sum += static_cast<double>(get(*s));
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

bool any_has_gpu(const HostSteps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const HostStep* s) { return s->has_gpu; });
}

}  // namespace

MeanStep::MeanStep(const HostSteps& all, const HostSteps& with_ops)
    : steps(all.size()), steps_with_ops(with_ops.size()), knows_gpu(any_has_gpu(all) || any_has_gpu(with_ops)) {
  wall_ns = mean(all, [](const HostStep& s) { return s.step.wall_ns; });
  double left = wall_ns, detail = 0;
  for (std::size_t c = 0; c < kHostCategories; ++c) {
    const bool light = is_light(static_cast<HostCategory>(c));
    const HostSteps& from = light || with_ops.empty() ? all : with_ops;
    exposed[c] = mean(from, [&](const HostStep& s) { return s.exposed[c]; });
    overlapped[c] = mean(from, [&](const HostStep& s) { return s.overlapped[c]; });
    (light ? left : detail) += light ? -exposed[c] : exposed[c];
  }
  const double scale = detail > 0 ? left / detail : 0;
  for (std::size_t c = 0; c < kHostCategories; ++c) {
    const auto category = static_cast<HostCategory>(c);
    if (!is_light(category) && category != HostCategory::rest) left -= exposed[c] *= scale;
  }
  exposed[static_cast<std::size_t>(HostCategory::rest)] = std::max(left, 0.0);
}

HostSteps steps_with_ops(const HostSteps& steps) {
  return select_steps(steps, [](const HostStep& s) { return s.has_ops; });
}

}  // namespace laptime
