#include "replay/graph/step_python.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "trace/analysis.h"

namespace laptime::replay {

namespace {

constexpr double kLongHit = 20'000;

using Line = std::pair<std::uint32_t, std::uint32_t>;  // file, line

std::set<Line> lines_with_ops(const Run& run) {
  std::set<Line> lines;
  for (const CallSite& call_site : run.call_sites)
    lines.insert({run.codes[call_site.code].file, call_site.line});
  return lines;
}

}  // namespace

std::vector<std::vector<const Step*>> tallied_steps(const Run& run, std::span<const Step> steps) {
  std::vector<std::vector<const Step*>> by_process(run.processes.size());
  for (const Step& step : steps) by_process[run.tracks[step.track].process].push_back(&step);
  for (auto& list : by_process)
    std::stable_sort(list.begin(), list.end(), [](const Step* a, const Step* b) {
      return a->start_ns + a->wall_ns < b->start_ns + b->wall_ns;
    });
  return by_process;
}

StepPythons::StepPythons(const Analysis& analysis) {
  const Run& run = analysis.run();
  const std::vector<std::vector<const Step*>> by_process = tallied_steps(run, analysis.steps());
  const std::set<Line> with_ops = lines_with_ops(run);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    const TallyColumns& rows = run.tracks[t].tallies;
    const auto& list = by_process[run.tracks[t].process];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.kind[i] != TallyKind::line || rows.code[i] >= run.codes.size() ||
          rows.step[i] >= list.size() || list[rows.step[i]]->track != t)
        continue;
      StepPython& step = steps_[{t, list[rows.step[i]]->start_ns}];
      const auto hits = static_cast<double>(rows.hits[i]),
                 own = static_cast<double>(rows.exclusive[i]);
      step.hits += hits;
      if (rows.where[i] != 0 && own >= kLongHit * hits &&
          !with_ops.contains({run.codes[rows.code[i]].file, rows.where[i]}))
        step.batch_ns += own;
    }
  }
}

}  // namespace laptime::replay
