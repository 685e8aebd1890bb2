// What each task would take itself once the changes are made.
//
// How well a change is known differs: a factor that the user gave is taken at its word, but what
// was recorded of the thing holds the recorder's own share, so that up to a seventh of what is
// taken off may stay. A larger batch costs ops that compute on it in proportion, less their fixed
// part; the optimizer, and code between ops, nothing. With a GPU: gpu_pricing.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "replay/graph/task_graph.h"
#include "replay/input/loader.h"
#include "replay/price/changes.h"
#include "replay/price/gpu_pricing.h"
#include "replay/price/line_times.h"
#include "replay/price/name_match.h"

namespace laptime::replay {

class Pricing {
 public:
  // `source` outlives it. `host`: by which factor all that the host does itself takes longer than
  // it did.
  Pricing(const GraphSource& source, Changes changes, double host = 1);
  Pricing(const Pricing&) = delete;

  const Changes& changes() const { return changes_; }
  // Patterns that name nothing in this run.
  std::vector<std::string> unknown_patterns() const;

  // By task. Input waits are priced like all else: right where the program makes its batches
  // itself. Lines::left_alone: without the changes of lines and functions whose time is known in
  // every step.
  enum class Lines { priced, left_alone };
  Prices prices(const TaskGraph& graph, Outlook outlook, Lines lines = Lines::priced) const;
  // What that is in a step, between ops and in its wait for input, the ops that the lines call
  // included.
  struct LineOff {
    double step_ns = 0, input_ns = 0;
  };
  LineOff line_off(const Step& step, Outlook outlook) const;
  // What a worker's fetch takes, as a factor.
  double fetch_factor(const LoaderFacts& loader, Outlook outlook) const;

 private:
  struct Scaled {
    Scale scale;
    NameMatch match;
    LineTimes lines;
  };
  double batch_factor(const Task& task, std::int64_t own, Outlook outlook) const;
  void take_off_lines(const TaskGraph& graph, Outlook outlook,
                      std::vector<std::int64_t>& own) const;
  void release_lines(const Scaled& scaled, const TaskGraph& graph, Prices& prices) const;
  bool is_named(const Scaled& scaled, const std::vector<bool>& frames, const Task& task) const;

  const GraphSource& source_;
  const Run& run_;
  Changes changes_;
  double host_;
  GpuPricing gpu_;
  std::vector<Scaled> scaled_;
};

// Sets the input waits of a graph's steps, which are as they were recorded, to `waits`.
void set_waits(const TaskGraph& graph, std::span<const std::int64_t> waits,
               std::vector<std::int64_t>& own);

}  // namespace laptime::replay
