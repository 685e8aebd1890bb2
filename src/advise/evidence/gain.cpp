#include "advise/evidence/gain.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace laptime {

namespace {

constexpr double kErrors = 2;
// No part is removed completely: a step without time would have an infinite rate.
constexpr double kShortestStep = 0.001;

}  // namespace

Part mean_part(std::span<const double> ns_by_step) {
  if (ns_by_step.empty()) return {};
  const auto count = static_cast<double>(ns_by_step.size());
  double sum = 0, squares = 0;
  for (const double ns : ns_by_step) sum += ns;
  const double mean = sum / count;
  for (const double ns : ns_by_step) squares += (ns - mean) * (ns - mean);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : mean};
}

double Gain::expected() const { return likely.value_or(std::sqrt(low * high)); }

replay::Changes shrunk(std::string pattern, Range left) {
  return replay::scale_change(std::move(pattern), (left.low + left.high) / 2, left.low, left.high);
}

replay::Changes shrunk_line(const std::string& file, std::uint32_t line, Range left) {
  return shrunk(fmt::format("{}:{}", file, line), left);
}

Gain predict(double step_ns, Part part, Range left) {
  part.ns = std::min(part.ns, step_ns);
  const double error = kErrors * part.error_ns;
  // However much steps differ, the part and the rest are each at least half of their mean.
  const double most = part.ns + std::min(error, (step_ns - part.ns) / 2),
               least = part.ns - std::min(error, part.ns / 2);
  return predict(step_ns,
                 Range{step_ns - most * (1 - left.low), step_ns - least * (1 - left.high)});
}

Gain predict(double step_ns, Range new_step_ns) {
  const auto gain = [&](double ns) {
    return std::max(1.0, step_ns / std::max(ns, kShortestStep * step_ns));
  };
  return {gain(new_step_ns.high), gain(new_step_ns.low), std::nullopt};
}

}  // namespace laptime
