// What a run's steps would take after changes, as an interval; where the time would go then, and
// what would bound it next.
//
// The expected time is the measured mean times the ratio of two replays' means, changed and
// unchanged, both without the recorder's share, so that what the replay gets wrong of both cancels.
// Its interval has these sources: the best and the worst outlook of the changes, how far the ratio
// differs along the run (bootstrap.h), and what is not modelled, which is more the more changes.
// How far two starts of the same program differ is apart: more where the host bounds a step.
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
  std::size_t replayed = 0;            // of which ops were recorded
  double before_ns = 0;                // measured: the mean step
  double replayed_ns = 0;              // the same, replayed as it was recorded
  double after_ns = 0, low_ns = 0, high_ns = 0;
  // How many times as many samples a second: of the expected time, and at the interval's ends.
  double gain = 1, gain_low = 1, gain_high = 1;
  double noise = 0;  // share by which two starts of the program differ, changed or not; not part of
                     // the interval
  bool is_replayed =
      true;  // false: after_ns is what a piece of advice says, and what it consists of is not known
  MeanStep before, after;  // what before_ns and after_ns consist of; `after` where it is replayed
  std::optional<double> gpu_busy_before, gpu_busy_after;  // of a step, 0 to 1
  std::vector<PathPart>
      next;  // the critical path of a median step after the changes, summed, the largest part first
};

struct Prediction {
  std::vector<PhasePrediction> phases;        // the one with most time first
  std::vector<std::string> unknown_patterns;  // of the changes: they name nothing in this run
};

// All phases of a run. Making it takes most of the time; then it may be asked about many changes.
class Predictor {
 public:
  // `analysis` outlives it.
  explicit Predictor(const Analysis& analysis);
  ~Predictor();
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  Prediction predict(const Changes& changes) const;

 private:
  struct Phase;
  // By phase: with the changes, as ranks wait for each other.
  std::vector<std::vector<CategoryTimes>> times(const Pricing& priced, Outlook outlook) const;

  const GraphSource source_;
  const Pricing plain_;
  std::vector<std::unique_ptr<Phase>> phases_;
  std::unique_ptr<RankCoupling> ranks_;
};

}  // namespace laptime::replay
