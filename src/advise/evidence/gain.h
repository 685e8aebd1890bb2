// The predicted gain of a change that is not replayed (rule.h): the factor by which the step rate
// grows.
//
// The formulas are Amdahl's law applied to parts of a step. The interval has two sources: how much
// the part differs between steps (two standard errors of its mean), and the share of the part that
// remains after the change, by experience.
// Assumption: removing a part shortens the step by that part. This holds for exposed time, and
// rules use only exposed time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "replay/price/changes.h"

namespace laptime {

// The time of a part of a mean step.
struct Part {
  double ns = 0;
  double error_ns = 0;  // standard error of the mean

  Part scaled(double factor) const { return {ns * factor, error_ns * factor}; }
  // The same part with a mean from another source.
  Part with_mean(double mean_ns) const {
    return {mean_ns, ns > 0 ? error_ns * mean_ns / ns : error_ns};
  }
};

// The mean of a part from its times in each step.
Part mean_part(std::span<const double> ns_by_step);

struct Range {
  double low, high;
};

// An interval for the factor by which the step rate grows.
struct Gain {
  double low, high;
  std::optional<double> likely = {};  // within the interval; nothing: all values are equally likely

  // The number to sort and decide by: the likely value, else the geometric mean of both ends.
  double expected() const;
};

// A change for a replay: what `pattern` names shrinks to a share between left.low and left.high.
replay::Changes shrunk(std::string pattern, Range left);

// The same for a line: its own Python and the ops that it calls.
replay::Changes shrunk_line(const std::string& file, std::uint32_t line, Range left);

// The gain if `part` of a step shrinks to a share between left.low (the best case) and left.high.
Gain predict(double step_ns, Part part, Range left);

// The gain if a step then takes between new_step_ns.low and .high. 1 if it is no gain.
Gain predict(double step_ns, Range new_step_ns);

}  // namespace laptime
