// The own time of each task after the changes.
//
// The user's factor is exact, but recorded times include the recorder's share. So up to kMayStay of
// the removed time may stay.
// A larger batch makes ops that compute on it longer in proportion, except for a fixed part. The
// optimizer and code between ops do not change. With a GPU gpu_pricing.h applies.
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
  // `source` outlives this object. `host`: the factor on the host's own times.
  Pricing(const GraphSource& source, Changes changes, double host = 1);
  Pricing(const Pricing&) = delete;

  const Changes& changes() const { return changes_; }
  // Patterns that match nothing in this run.
  std::vector<std::string> unknown_patterns() const;

  // By task. Input waits are priced like other tasks, which is correct if the program itself makes
  // its batches. Lines::left_alone leaves out changes of lines and functions whose time is known in
  // every step.
  enum class Lines { priced, left_alone };
  Prices prices(const TaskGraph& graph, Outlook outlook, Lines lines = Lines::priced) const;
  // The time that these changes remove from a step: between ops and in its input wait, called ops
  // included.
  struct LineOff {
    double step_ns = 0, input_ns = 0;
  };
  LineOff line_off(const Step& step, Outlook outlook) const;
  // The factor on a worker's time to make a batch.
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

// Sets the input waits of a graph's steps to `waits`. Contract: they are as recorded.
void set_waits(const TaskGraph& graph, std::span<const std::int64_t> waits,
               std::vector<std::int64_t>& own);

}  // namespace laptime::replay
