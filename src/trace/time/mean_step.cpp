#include "trace/time/mean_step.h"

#include <algorithm>

#include "trace/steps/step_choice.h"

namespace laptime {

namespace {

constexpr auto kRest = static_cast<std::size_t>(HostCategory::rest);

template <typename Get>
double mean(const HostSteps& steps, Get get) {
  double sum = 0;
  for (const HostStep* s : steps) sum += static_cast<double>(get(*s));
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

HostSources sources_of(const HostSteps& steps) {
  HostSources sources;
  for (const HostStep* s : steps) sources.add(s->sources);
  return sources;
}

// If no slow step was recorded, slow steps are assumed to do what usual ones do, and more.
void divide_as(const MeanStep& usual, MeanStep& slow) {
  double details = 0;
  for (std::size_t c = 0; c < kHostCategories; ++c)
    if (!usual.is_light(static_cast<HostCategory>(c))) details += usual.exposed[c];
  double left = slow.wall_ns;
  for (std::size_t c = 0; c < kHostCategories; ++c)
    if (usual.is_light(static_cast<HostCategory>(c))) left -= slow.exposed[c];
  const double share = details > 0 ? std::min(1.0, left / details) : 0;
  for (std::size_t c = 0; c < kHostCategories; ++c)
    if (!usual.is_light(static_cast<HostCategory>(c))) slow.exposed[c] = share * usual.exposed[c];
  slow.undivided_ns = std::max(0.0, left - share * details);
}

MeanStep weighted(const MeanStep& a, const MeanStep& b) {
  const auto all = static_cast<double>(a.steps + b.steps);
  const auto mix = [&](double of_a, double of_b) {
    return (of_a * static_cast<double>(a.steps) + of_b * static_cast<double>(b.steps)) / all;
  };
  MeanStep both{a.steps + b.steps,
                a.steps_with_ops + b.steps_with_ops,
                a.sources,
                mix(a.wall_ns, b.wall_ns),
                {},
                {},
                mix(a.undivided_ns, b.undivided_ns)};
  both.sources.add(b.sources);
  for (std::size_t c = 0; c < kHostCategories; ++c) {
    both.exposed[c] = mix(a.exposed[c], b.exposed[c]);
    both.overlapped[c] = mix(a.overlapped[c], b.overlapped[c]);
  }
  return both;
}

}  // namespace

MeanStep mean_of_alike(const HostSteps& all, const HostSteps& with_ops) {
  MeanStep step{all.size(),
                with_ops.size(),
                sources_of(all),
                mean(all, [](const HostStep& s) { return s.step.wall_ns; }),
                {},
                {},
                0};
  double left = step.wall_ns, detail = 0;
  for (std::size_t c = 0; c < kHostCategories; ++c) {
    const bool light = step.is_light(static_cast<HostCategory>(c));
    const HostSteps& from = light || with_ops.empty() ? all : with_ops;
    step.exposed[c] = mean(from, [&](const HostStep& s) { return s.exposed[c]; });
    step.overlapped[c] = mean(from, [&](const HostStep& s) { return s.overlapped[c]; });
    (light ? left : detail) += light ? -step.exposed[c] : step.exposed[c];
  }
  const double scale = detail > 0 ? left / detail : 0;
  for (std::size_t c = 0; c < kHostCategories; ++c)
    if (!step.is_light(static_cast<HostCategory>(c)) && c != kRest)
      left -= step.exposed[c] *= scale;
  step.exposed[kRest] = std::max(left, 0.0);
  return step;
}

MeanStep mean_step(const HostSteps& steps) {
  const UsualAndSlow groups(steps);
  const HostSteps usual_with_ops = steps_with_ops(groups.usual),
                  slow_with_ops = steps_with_ops(groups.slow);
  const bool apart = !groups.usual.empty() && !groups.slow.empty() &&
                     (!usual_with_ops.empty() || slow_with_ops.empty());
  if (!apart) return mean_of_alike(steps, steps_with_ops(steps));
  const MeanStep usual = mean_of_alike(groups.usual, usual_with_ops);
  MeanStep slow = mean_of_alike(groups.slow, slow_with_ops);
  if (usual.divided() && !slow.divided()) divide_as(usual, slow);
  return weighted(usual, slow);
}

HostSteps steps_with_ops(const HostSteps& steps) {
  return select_steps(steps, [](const HostStep& s) { return s.has_ops; });
}

}  // namespace laptime
