// What the mean of some steps consists of on the host, though ops were recorded in a part of them only.
//
// Wall time and the categories known in every step are means over all steps; what is left is divided as in those whose ops
// were recorded. Recorded steps take a little longer: their details are brought to what is left of a mean step.
// Consequence: the categories sum to the mean wall time. Without recorded steps what cannot be told apart is the rest.
#pragma once

#include <array>
#include <vector>

#include "analyze/host_time.h"

namespace laptime {

using HostSteps = std::vector<const HostStep*>;

struct MeanStep {
  // Contract: `all` is not empty. `with_ops`: steps whose ops were recorded.
  MeanStep(const HostSteps& all, const HostSteps& with_ops);

  // Whether ops are told from the program's own code.
  bool divided() const { return steps_with_ops > 0; }
  // Whether every step tells the category; the others only recorded ones do. With a GPU these tell the launches and waits in
  // optimizers and checkpoints apart.
  bool is_light(HostCategory category) const { return laptime::is_light(category, knows_gpu); }
  // How many steps the category is known from.
  std::size_t steps_of(HostCategory category) const { return is_light(category) || !divided() ? steps : steps_with_ops; }

  std::size_t steps, steps_with_ops;
  bool knows_gpu;  // launches and waits for GPUs are told apart
  double wall_ns = 0;
  std::array<double, kHostCategories> exposed{};  // sums to wall_ns
  std::array<double, kHostCategories> overlapped{};
};

// Those of the steps whose ops were recorded.
HostSteps steps_with_ops(const HostSteps& steps);

}  // namespace laptime
