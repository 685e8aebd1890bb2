// The categories of a mean step on the host, when ops were recorded in only some steps.
#pragma once

#include <array>
#include <vector>

#include "trace/time/host_time.h"

namespace laptime {

using HostSteps = std::vector<const HostStep*>;

struct MeanStep {
  // Whether ops are separate from the program's own code.
  bool divided() const { return steps_with_ops > 0; }
  // Whether every step knows the category; others are known in recorded steps only. With a GPU only
  // recorded steps separate the launches and waits in optimizers and checkpoints.
  bool is_light(HostCategory category) const { return laptime::is_light(category, sources); }
  // The number of steps in which the category is known.
  std::size_t steps_of(HostCategory category) const {
    return is_light(category) || !divided() ? steps : steps_with_ops;
  }
  double of(HostCategory category) const { return exposed[static_cast<std::size_t>(category)]; }

  std::size_t steps = 0, steps_with_ops = 0;
  HostSources sources;  // of any of the steps
  double wall_ns = 0;
  std::array<double, kHostCategories> exposed{};
  std::array<double, kHostCategories> overlapped{};
  // The extra time of slow steps, if no slow step was recorded. Its categories are unknown.
  double undivided_ns = 0;
};

// For steps of one kind. Wall time and the categories known in every step are means over `all`. The
// remainder is divided as in `with_ops`, the steps whose ops were recorded. Recording makes those a
// little longer, so their details are scaled.
// Consequence: the categories sum to the mean wall time. Without recorded steps the remainder is
// `rest`. Contract: `all` is not empty.
MeanStep mean_of_alike(const HostSteps& all, const HostSteps& with_ops);

// For any steps. Usual and slow ones are divided separately and weighted by their number. exposed
// and undivided_ns sum to wall_ns. Contract: `steps` is not empty.
MeanStep mean_step(const HostSteps& steps);

// The steps whose ops were recorded.
HostSteps steps_with_ops(const HostSteps& steps);

}  // namespace laptime
