// What a change will bring, as the factor by which the step rate grows, where it is not replayed
// (rule.h).
//
// Closed formulas on what steps are made of: Amdahl's law. The interval comes from two sources: how
// far the part of a step differs from step to step (two standard errors of its mean), and how much
// of the part experience says is left after the change. Assumption: what is taken out of a step
// shortens it, which holds for what is exposed. Rules name only exposed time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "replay/price/changes.h"

namespace laptime {

// What something takes of a mean step.
struct Part {
  double ns = 0;
  double error_ns = 0;  // standard error of the mean

  Part scaled(double factor) const { return {ns * factor, error_ns * factor}; }
  // With the mean known from elsewhere.
  Part with_mean(double mean_ns) const {
    return {mean_ns, ns > 0 ? error_ns * mean_ns / ns : error_ns};
  }
};

// Of what it took in each of the steps.
Part mean_part(std::span<const double> ns_by_step);

struct Range {
  double low, high;
};

// The factor by which the step rate grows, as an interval.
struct Gain {
  double low, high;
  std::optional<double> likely = {};  // within the interval; nothing: no value is more likely

  // The one number to sort and decide by: the likely value, else the geometric mean of the ends.
  double expected() const;
};

// What `pattern` names shrinks to a share of itself between left.low and left.high: as a change to
// be replayed.
replay::Changes shrunk(std::string pattern, Range left);

// The same of a line: its own Python and the ops it calls.
replay::Changes shrunk_line(const std::string& file, std::uint32_t line, Range left);

// After `part` of a step has shrunk to a share of itself between left.low (the best case) and
// left.high.
Gain predict(double step_ns, Part part, Range left);

// When the step will take between new_step_ns.low and .high; 1 where that is no gain.
Gain predict(double step_ns, Range new_step_ns);

}  // namespace laptime
