#include "advise/evidence/step_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tables/code/line_columns.h"
#include "trace/code/line_ids.h"
#include "trace/run/intervals.h"

namespace laptime {

std::vector<StepCall> calls_in_steps(const Analysis& analysis, const MainPhase& main_phase,
                                     SpanKind kind) {
  const Run& run = analysis.run();
  std::vector<Interval> steps;
  for (const HostStep& s : main_phase.steps())
    steps.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  const auto count = static_cast<double>(steps.size());
  const Intervals intervals(std::move(steps));
  Intervals::Cursor cursor(intervals);
  const Spans& spans = run.tracks[main_phase.track()].spans;
  const LineIds& lines = analysis.lines();
  std::map<std::pair<std::uint32_t, std::uint32_t>, StepCall> sums;  // by name and line
  for (std::uint32_t row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != kind || !cursor.contains(spans.start[row])) continue;
    StepCall& sum = sums[{spans.name[row], lines[spans.call_site.value_or(row, 0)]}];
    ++sum.calls;
    sum.ns += static_cast<double>(spans.duration[row]);
  }
  std::vector<StepCall> calls;
  for (auto& [key, sum] : sums) {
    sum.calls /= count;
    sum.ns /= count;
    sum.name = run.strings[key.first];
    sum.file = file_at(lines, key.second).value_or("");
    sum.line = line_at(lines, key.second).value_or(0);
    calls.push_back(std::move(sum));
  }
  std::stable_sort(calls.begin(), calls.end(),
                   [](const StepCall& a, const StepCall& b) { return a.ns > b.ns; });
  return calls;
}

}  // namespace laptime
