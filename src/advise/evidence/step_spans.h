// Spans of one kind on the stepping thread, within the main phase's steps and between them.
#pragma once

#include <cstddef>
#include <string_view>

#include "advise/evidence/evidence.h"
#include "trace/run/intervals.h"

namespace laptime {

struct SpanSum {
  std::size_t count = 0;
  double ns = 0, longest_ns = 0;

  void add(double span_ns);
  double mean_ns() const { return count > 0 ? ns / static_cast<double>(count) : 0; }
};

// Contract: the evidence outlives this object.
class StepSpans {
 public:
  StepSpans(const Evidence& evidence, SpanKind kind);

  SpanSum within(std::string_view name) const;
  // Outside of steps, between the begin of the first and the end of the last.
  SpanSum between(std::string_view name) const;
  // For each span `after` within a step: the next span `name`.
  SpanSum first_after(std::string_view name, std::string_view after) const;

 private:
  const StringTable& strings_;
  const SpanColumns& spans_;
  SpanKind kind_;
  std::int64_t begin_ = 0, end_ = 0;  // of all steps
  Intervals steps_;
};

}  // namespace laptime
