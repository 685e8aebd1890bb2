// One phase of one thread, ready to be replayed: the graphs of its recorded steps, its loader, and
// what is known of its other steps.
//
// Steps whose ops rested take part too: their wait for input and what else is known of them as it
// is, the rest in proportion to what the recorded steps of the phase tell. With a GPU the other way
// round, too: what the host takes in steps that rested, recorded ones take without the recorder.
// Assumption: the same work is in both; GPUs take the same.
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
  // `steps`: all of the phase, in their order; they and `source` outlive the model.
  PhaseModel(const GraphSource& source, std::span<const HostStep> steps);

  const GraphSource& source() const { return source_; }
  std::span<const HostStep> steps() const { return steps_; }
  const LoaderFacts& loader() const { return loader_; }
  std::size_t replayed_steps() const;
  bool has_gpu() const;

  // By step: what it takes when it is replayed as it was recorded; of steps that are not replayed,
  // what they took.
  std::vector<std::int64_t> replayed_walls() const;
  // By step: where it would go.
  std::vector<CategoryTimes> times(const Pricing& pricing, Outlook outlook) const;

  // A graph and its replay, with what is waited for input and for other ranks as `times` has it.
  struct ReplayedBurst {
    const TaskGraph* graph;
    Replay replay;
    std::uint32_t first;  // steps(): the graph's first
  };
  std::vector<ReplayedBurst> bursts(const Pricing& pricing, Outlook outlook,
                                    std::span<const CategoryTimes> times) const;

 private:
  struct Burst {
    std::uint32_t first;  // of steps_
    TaskGraph graph;
    std::vector<CategoryTimes> plain;  // replayed without a change
  };
  // Sets the graphs' host_left, where steps that rested tell it.
  void learn_host();
  void set_host(double left);
  double plain_wall() const;
  bool is_simulated(const Pricing& pricing) const;
  double typical_wall() const;
  // What the replayed steps tell of the others.
  struct Ratios {
    std::array<double, kHostCategories>
        category{};     // without what lines bring: their time is known in every step
    double detail = 1;  // of all that is one rest where ops rested
    double line_step = 1, line_input = 1;  // of what a line takes, what goes with it: less what
                                           // others do meanwhile, and its ops' backward
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
