#include "tables/steps/steps_table.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// By thread and phase.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Step*>> by_phase(
    const std::vector<Step>& steps) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Step*>> phases;
  for (const Step& step : steps) phases[{step.track, step.phase}].push_back(&step);
  return phases;
}

Row summary_row(const Run& run, const std::vector<const Step*>& laps) {
  std::vector<std::int64_t> walls;
  double wall_ns = 0, samples = 0, samples_wall_ns = 0, slow_ns = 0;
  std::size_t slow = 0;
  const auto count = [&](auto wanted) {
    return integer_cell(
        static_cast<std::uint64_t>(std::count_if(laps.begin(), laps.end(), wanted)));
  };
  for (const Step* step : laps) {
    if (!step->counts) continue;
    walls.push_back(step->wall_ns);
    wall_ns += static_cast<double>(step->wall_ns);
    if (step->kind != StepKind::steady) ++slow, slow_ns += static_cast<double>(step->wall_ns);
    if (!step->samples) continue;
    samples += static_cast<double>(*step->samples);
    samples_wall_ns += static_cast<double>(step->wall_ns);
  }
  const Track& track = run.tracks[laps.front()->track];
  Row row{std::string(run.strings[laps.front()->phase]), thread_label(run, track),
          integer_cell(laps.size()),
          count([](const Step* s) { return s->kind == StepKind::warmup; })};
  for (const double share : {0.50, 0.05, 0.95})
    row.push_back(walls.empty() ? kUnknown : Cell(take_percentile(walls, share)));
  row.push_back(ratio_cell(static_cast<double>(walls.size()) * 1e9, wall_ns));
  row.push_back(ratio_cell(samples * 1e9, samples_wall_ns));
  const bool told = laps.front()->ops != StepOps::not_told;
  row.push_back(told ? count([](const Step* s) { return s->ops == StepOps::recorded; }) : kUnknown);
  const Cell compiled = count([](const Step* s) { return s->kind == StepKind::compile; });
  row.push_back(compiled == integer_cell(0) ? kUnknown : compiled);
  row.push_back(slow == 0 ? kUnknown : integer_cell(slow));
  row.push_back(slow == 0 ? kUnknown : ratio_cell(slow_ns, wall_ns));
  row.push_back(ratio_cell(wall_ns, static_cast<double>(walls.size())));
  return row;
}

}  // namespace

Table steps_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"steps",
              "Steps",
              {{"step", ColumnType::integer},
               {"phase", ColumnType::text},
               {"kind", ColumnType::text},
               {"start_ns", ColumnType::integer, Unit::ns},
               {"wall_ns", ColumnType::integer, Unit::ns},
               {"samples", ColumnType::integer, Unit::count},
               {"recorded", ColumnType::integer},
               {"thread", ColumnType::text}},
              {}};
  for (const Step& s : analysis.steps())
    table.rows.push_back(
        {integer_cell(s.number), std::string(run.strings[s.phase]), kind_name(s.kind), s.start_ns,
         s.wall_ns, s.samples ? Cell(*s.samples) : kUnknown, std::int64_t{s.ops != StepOps::rested},
         thread_label(run, run.tracks[s.track])});
  return table;
}

Table step_summary_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"step_summary",
              "Steps, without warmup",
              {{"phase", ColumnType::text},
               {"thread", ColumnType::text},
               {"steps", ColumnType::integer, Unit::count},
               {"warmup", ColumnType::integer, Unit::count},
               {"median_ns", ColumnType::integer, Unit::ns},
               {"p5_ns", ColumnType::integer, Unit::ns},
               {"p95_ns", ColumnType::integer, Unit::ns},
               {"steps_per_s", ColumnType::real, Unit::per_second},
               {"samples_per_s", ColumnType::real, Unit::per_second},
               {"recorded", ColumnType::integer, Unit::count},
               {"compile", ColumnType::integer, Unit::count},
               {"slow", ColumnType::integer, Unit::count},
               {"slow_share", ColumnType::real, Unit::share},
               {"mean_ns", ColumnType::real, Unit::ns}},
              {}};
  for (const auto& [key, laps] : by_phase(analysis.steps()))
    table.rows.push_back(summary_row(run, laps));
  return table;
}

}  // namespace laptime
