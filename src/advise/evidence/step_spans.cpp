#include "advise/evidence/step_spans.h"

#include <algorithm>
#include <utility>

namespace laptime {

namespace {

std::vector<Interval> intervals_of(const StepList& steps) {
  std::vector<Interval> intervals;
  for (const HostStep& s : steps)
    intervals.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  return intervals;
}

// Calls visit(row) for each span of that kind with one of the names, in the order of their ends.
template <typename Visit>
void visit_spans(const SpanColumns& spans, SpanKind kind, std::uint32_t name, std::uint32_t other,
                 Visit visit) {
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == kind && (spans.name[row] == name || spans.name[row] == other))
      visit(row);
}

}  // namespace

void SpanSum::add(double span_ns) {
  ++count;
  ns += span_ns;
  longest_ns = std::max(longest_ns, span_ns);
}

StepSpans::StepSpans(const Evidence& evidence, SpanKind kind)
    : strings_(evidence.run().strings),
      spans_(evidence.run().tracks[evidence.main_phase().track()].spans),
      kind_(kind),
      steps_(intervals_of(evidence.main_phase().steps())) {
  if (evidence.main_phase().steps().size() == 0) return;
  const Step &first = evidence.main_phase().steps().front().step,
             &last = evidence.main_phase().steps().back().step;
  begin_ = first.start_ns;
  end_ = last.start_ns + last.wall_ns;
}

SpanSum StepSpans::within(std::string_view name) const {
  SpanSum sum;
  const std::uint32_t wanted = strings_.find(name);
  visit_spans(spans_, kind_, wanted, wanted, [&](std::size_t row) {
    if (steps_.overlaps(spans_.start[row], spans_.end(row)))
      sum.add(static_cast<double>(spans_.duration[row]));
  });
  return sum;
}

SpanSum StepSpans::between(std::string_view name) const {
  SpanSum sum;
  const std::uint32_t wanted = strings_.find(name);
  visit_spans(spans_, kind_, wanted, wanted, [&](std::size_t row) {
    const std::int64_t start = spans_.start[row], end = spans_.end(row);
    if (start >= begin_ && end <= end_ && !steps_.overlaps(start, end))
      sum.add(static_cast<double>(spans_.duration[row]));
  });
  return sum;
}

SpanSum StepSpans::first_after(std::string_view name, std::string_view after) const {
  SpanSum sum;
  bool awaits = false;
  const std::uint32_t wanted = strings_.find(name), first = strings_.find(after);
  visit_spans(spans_, kind_, wanted, first, [&](std::size_t row) {
    if (!steps_.overlaps(spans_.start[row], spans_.end(row))) return;
    if (spans_.name[row] == first)
      awaits = true;
    else if (std::exchange(awaits, false))
      sum.add(static_cast<double>(spans_.duration[row]));
  });
  return sum;
}

}  // namespace laptime
