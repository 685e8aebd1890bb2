// A model of one phase of one thread for replays: the graphs of its recorded steps, its loader, and
// the facts of its other steps.
//
// Steps whose ops rested are included. Their input wait and other known times are used directly.
// The remainder changes in the same proportion as in recorded steps. With a GPU the reverse also
// holds: resting steps show how much time the host takes without the recorder.
// Assumption: both kinds of steps do the same work, and GPUs take equally long for it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "replay/graph/replay.h"
#include "replay/graph/task_graph.h"
#include "replay/input/loader_facts.h"
#include "replay/price/pricing.h"
#include "replay/price/processors.h"

namespace laptime::replay {

class PhaseModel {
 public:
  // `steps`: all of the phase, in order. They and `source` outlive the model.
  PhaseModel(const GraphSource& source, std::span<const HostStep> steps);

  const GraphSource& source() const { return source_; }
  std::span<const HostStep> steps() const { return steps_; }
  const LoaderFacts& loader() const { return loader_; }
  std::size_t replayed_steps() const;
  bool has_gpu() const;

  // By step: its time in a replay without changes. For steps that are not replayed, the recorded
  // time.
  std::vector<std::int64_t> replayed_walls() const;
  // By step: its predicted categories.
  std::vector<CategoryTimes> times(const Pricing& pricing, Outlook outlook) const;

  // A graph and its replay. Waits for input and for other ranks are those of `times`.
  struct ReplayedBurst {
    const TaskGraph* graph;
    Replay replay;
    std::uint32_t first;  // of steps(): the graph's first
  };
  std::vector<ReplayedBurst> bursts(const Pricing& pricing, Outlook outlook,
                                    std::span<const CategoryTimes> times) const;

 private:
  struct Burst {
    std::uint32_t first;  // of steps_
    TaskGraph graph;
    std::vector<CategoryTimes> plain;  // replayed without changes
  };
  // Sets the graphs' host_left, if there are enough resting steps.
  void learn_host();
  void set_host(double left);
  // What the steps know. Whether launches are separate follows from the graphs.
  HostSources sources() const;
  double plain_wall() const;
  bool is_simulated(const Pricing& pricing) const;
  double typical_wall() const;
  // Ratios from the replayed steps that are applied to the others.
  struct Ratios {
    std::array<double, kHostCategories>
        category{};     // without the changes of lines: their time is known in every step
    double detail = 1;  // for the one rest, if ops rested
    // For the known time of a line. Less than 1 if other threads work meanwhile; more with its ops'
    // backward.
    double line_step = 1, line_input = 1;
  };
  Ratios find_ratios(const Pricing& pricing, Outlook outlook,
                     std::span<const CategoryTimes> priced) const;
  void take_off_details(double off_ns, CategoryTimes& step) const;
  double usual_rest() const;
  void fill_light(const Pricing& pricing, Outlook outlook, std::vector<CategoryTimes>& times) const;
  void simulate_loader(const Pricing& pricing, Outlook outlook,
                       std::vector<CategoryTimes>& times) const;

  const GraphSource& source_;
  std::span<const HostStep> steps_;
  LoaderFacts loader_;
  Processors processors_;
  std::vector<Burst> bursts_;
};

}  // namespace laptime::replay
