// What the mean of some steps consists of on the host, though ops were recorded in a part of them
// only.
#pragma once

#include <array>
#include <vector>

#include "trace/time/host_time.h"

namespace laptime {

using HostSteps = std::vector<const HostStep*>;

struct MeanStep {
  // Whether ops are told from the program's own code.
  bool divided() const { return steps_with_ops > 0; }
  // Whether every step tells the category; the others only recorded ones do. With a GPU these tell
  // the launches and waits in optimizers and checkpoints apart.
  bool is_light(HostCategory category) const { return laptime::is_light(category, knows_gpu); }
  // How many steps the category is known from.
  std::size_t steps_of(HostCategory category) const {
    return is_light(category) || !divided() ? steps : steps_with_ops;
  }
  double of(HostCategory category) const { return exposed[static_cast<std::size_t>(category)]; }

  std::size_t steps = 0, steps_with_ops = 0;
  bool knows_gpu = false;  // launches and waits for GPUs are told apart
  double wall_ns = 0;
  std::array<double, kHostCategories> exposed{};
  std::array<double, kHostCategories> overlapped{};
  // What slow steps took longer than usual ones, where no slow step was recorded: nobody knows
  // which category it is.
  double undivided_ns = 0;
};

// Of steps that are alike. Wall time and the categories known in every step are means over `all`.
// What is left is divided as in `with_ops`, the steps whose ops were recorded: recording makes them
// a little longer, so their details are scaled. Consequence: the categories sum to the mean wall
// time. Without recorded steps what cannot be told apart is the rest. Contract: `all` is not empty.
MeanStep mean_of_alike(const HostSteps& all, const HostSteps& with_ops);

// Of any steps: usual and slow ones are divided apart, and both count by their number. exposed and
// undivided_ns sum to wall_ns. Contract: `steps` is not empty.
MeanStep mean_step(const HostSteps& steps);

// Those of the steps whose ops were recorded.
HostSteps steps_with_ops(const HostSteps& steps);

}  // namespace laptime
