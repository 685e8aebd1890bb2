#include "advise/spans_in_steps.h"

#include <algorithm>
#include <utility>

#include "trace/run/stretches.h"

namespace laptime {

namespace {

std::vector<Stretch> stretches_of(const Evidence& evidence) {
  std::vector<Stretch> steps;
  for (const HostStep& s : evidence.lap().steps())
    steps.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  return steps;
}

// Calls visit(name, ns) for each within a step, in the order in which they began.
template <typename Visit>
void visit_spans(const Evidence& evidence, Visit visit) {
  const Stretches in_lap(stretches_of(evidence));
  const SpanColumns& spans = evidence.run().tracks[evidence.lap().track()].spans;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (in_lap.overlaps(spans.start[row], spans.end(row)))
      visit(spans.name[row], static_cast<double>(spans.duration[row]));
}

void add(SpansInSteps& sum, double ns) {
  ++sum.count;
  sum.ns += ns;
  sum.longest_ns = std::max(sum.longest_ns, ns);
}

}  // namespace

SpansInSteps spans_in_steps(const Evidence& evidence, std::string_view name) {
  SpansInSteps sum;
  const std::uint32_t wanted = evidence.run().strings.find(name);
  visit_spans(evidence, [&](std::uint32_t found, double ns) {
    if (found == wanted) add(sum, ns);
  });
  return sum;
}

SpansInSteps spans_between_steps(const Evidence& evidence, std::string_view name) {
  SpansInSteps sum;
  const std::vector<Stretch> steps = stretches_of(evidence);
  if (steps.empty()) return sum;
  const std::uint32_t wanted = evidence.run().strings.find(name);
  const std::int64_t begin = steps.front().start, end = steps.back().end;
  const Stretches in_lap(steps);
  const SpanColumns& spans = evidence.run().tracks[evidence.lap().track()].spans;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (spans.name[row] == wanted && spans.start[row] >= begin && spans.end(row) <= end &&
        !in_lap.overlaps(spans.start[row], spans.end(row)))
      add(sum, static_cast<double>(spans.duration[row]));
  return sum;
}

SpansInSteps spans_after(const Evidence& evidence, std::string_view name, std::string_view after) {
  SpansInSteps sum;
  const std::uint32_t wanted = evidence.run().strings.find(name),
                      first = evidence.run().strings.find(after);
  bool awaits = false;
  visit_spans(evidence, [&](std::uint32_t found, double ns) {
    if (found == first)
      awaits = true;
    else if (found == wanted && std::exchange(awaits, false))
      add(sum, ns);
  });
  return sum;
}

}  // namespace laptime
