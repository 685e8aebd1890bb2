#include "tables/code/in_steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/code/line_facts.h"
#include "trace/code/source_lines.h"
#include "trace/run/nesting.h"
#include "trace/steps/step_times.h"

namespace laptime {

namespace {

// The number of counted steps by phase. Key 0 has their sum.
std::map<std::uint32_t, double> count_steps(const Analysis& analysis) {
  std::map<std::uint32_t, double> counts;
  for (const Step& step : analysis.steps()) {
    if (!step.counts) continue;
    ++counts[step.phase];
    ++counts[0];
  }
  return counts;
}

// The steps of one track, in order.
std::span<const Step> steps_of(const std::vector<Step>& steps, std::uint32_t track) {
  const auto first = std::partition_point(steps.begin(), steps.end(),
                                          [&](const Step& s) { return s.track < track; });
  return {first, std::partition_point(first, steps.end(),
                                      [&](const Step& s) { return s.track == track; })};
}

const Step* step_at(std::span<const Step> steps, std::int64_t moment) {
  const auto next =
      std::upper_bound(steps.begin(), steps.end(), moment,
                       [](std::int64_t t, const Step& step) { return t < step.start_ns; });
  if (next == steps.begin()) return nullptr;
  const Step& step = *std::prev(next);
  return moment < step.start_ns + step.wall_ns ? &step : nullptr;
}

}  // namespace

std::vector<ScopeInSteps> sum_scopes_in_steps(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, double>
      sums;  // phase, thread, name
  for (std::uint32_t number = 0; number < run.tracks.size(); ++number) {
    const Track& track = run.tracks[number];
    const std::string thread = thread_label(run, track);
    const std::span<const Step> steps = steps_of(analysis.steps(), number);
    for_each_self_time(track.spans, [&](std::uint32_t row, std::int64_t self_ns) {
      const Step* const step = step_at(steps, track.spans.start[row]);
      if (!steps.empty() && (!step || !step->counts)) return;
      sums[{step ? step->phase : 0, thread, track.spans.name[row]}] += static_cast<double>(self_ns);
    });
  }
  std::map<std::uint32_t, double> counts = count_steps(analysis);
  std::vector<ScopeInSteps> all;
  for (const auto& [key, ns] : sums) {
    const auto& [phase, thread, name] = key;
    all.push_back({phase == 0 ? "" : std::string(run.strings[phase]),
                   std::string(run.strings[name]), thread, ns / std::max(1.0, counts[phase])});
  }
  return all;
}

std::vector<TalliedInSteps> sum_tallies_in_steps(const Analysis& analysis, TallyKind kind) {
  const Run& run = analysis.run();
  const StepIndex index(analysis.run(), analysis.steps());
  std::map<std::array<std::uint32_t, 3>, double> sums;  // phase, code, line
  for (const Track& track : run.tracks) {
    const TallyColumns& rows = track.tallies;
    if (kind == TallyKind::line && !knows_line_self_times(run.processes[track.process])) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.kind[i] != kind) continue;
      const std::uint32_t place = index.find(track.process, rows.step[i]);
      if (place == kNoStep || index.is_warmup(place)) continue;
      sums[{analysis.steps()[index.step(place)].phase, rows.code[i], rows.where[i]}] +=
          static_cast<double>(rows.exclusive[i]);
    }
  }
  std::map<std::uint32_t, double> steps = count_steps(analysis);
  SourceLines sources(run);
  std::vector<TalliedInSteps> all;
  for (const auto& [key, ns] : sums) {
    const auto [phase, number, line] = key;
    const Code& code = run.codes[number];
    const std::string_view file = run.strings[code.file];
    const auto source = kind == TallyKind::line
                            ? sources.find(file, line != 0 ? line : code.first_line)
                            : std::nullopt;
    all.push_back({std::string(run.strings[phase]), std::string(file),
                   std::string(run.strings[code.name]), std::string(source.value_or("")),
                   ns / steps[phase]});
  }
  return all;
}

}  // namespace laptime
