// Predicts a run's step times after changes, as an interval. It also predicts where the time would
// go, and what would bound it next.
//
// The expected time is the measured mean times the ratio of two replayed means, changed and
// unchanged. Both leave out the recorder's share, so errors common to both cancel.
// The interval has these sources: the best and worst outlook of the changes; how much the ratio
// differs along the run (bootstrap.h); and what is not modelled, which grows with the changes.
// `noise`, the difference between two starts of the same program, is separate. It is larger if the
// host bounds a step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replay/graph/replay.h"
#include "replay/predict/critical_path.h"
#include "replay/price/changes.h"
#include "replay/price/pricing.h"
#include "trace/analysis.h"
#include "trace/time/mean_step.h"

namespace laptime::replay {

class RankCoupling;

struct PhasePrediction {
  std::uint32_t phase = 0, track = 0;  // Run::strings, Run::tracks
  std::size_t steps = 0;               // that count (steps.h)
  std::size_t replayed = 0;            // with recorded ops
  double before_ns = 0;                // the measured mean step
  double replayed_ns = 0;              // the same, replayed without changes
  double after_ns = 0, low_ns = 0, high_ns = 0;
  // The growth of samples per second: expected, and at the interval's ends.
  double gain = 1, gain_low = 1, gain_high = 1;
  // The share by which two starts of the program differ, changed or not. Not part of the interval.
  double noise = 0;
  // False: after_ns comes from a piece of advice, and its categories are unknown.
  bool is_replayed = true;
  MeanStep before, after;  // before_ns and after_ns by category; `after` if replayed
  std::optional<double> gpu_busy_before, gpu_busy_after;  // share of a step, 0 to 1
  // The critical path of a median step after the changes, summed, in falling order.
  std::vector<PathPart> next;
};

struct Prediction {
  std::vector<PhasePrediction> phases;        // in falling order of time
  std::vector<std::string> unknown_patterns;  // of the changes: they match nothing in this run
};

// All phases of a run. The constructor takes most of the time. Then it can predict many changes.
class Predictor {
 public:
  // `analysis` outlives this object.
  explicit Predictor(const Analysis& analysis);
  ~Predictor();
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  Prediction predict(const Changes& changes) const;

 private:
  struct Phase;
  // By phase: times with the changes, with ranks waiting for each other.
  std::vector<std::vector<CategoryTimes>> times(const Pricing& priced, Outlook outlook) const;

  const GraphSource source_;
  const Pricing plain_;
  std::vector<std::unique_ptr<Phase>> phases_;
  std::unique_ptr<RankCoupling> ranks_;
};

}  // namespace laptime::replay
