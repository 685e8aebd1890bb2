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

// The facts of the steps of a thread and phase.
struct SummaryRow {
  const Run& run;
  const std::vector<const Step*>& phases;  // all of them
  std::size_t counted = 0;                 // steps that count; the sums cover these
  std::optional<std::int64_t> median_ns{}, p5_ns{}, p95_ns{};
  double wall_ns = 0, samples = 0, samples_wall_ns = 0, slow_ns = 0;
  std::size_t slow = 0;

  template <typename Wanted>
  std::int64_t count(Wanted wanted) const {
    return std::count_if(phases.begin(), phases.end(), [&](const Step* s) { return wanted(*s); });
  }
};

SummaryRow summarize(const Run& run, const std::vector<const Step*>& phases) {
  SummaryRow row{run, phases};
  std::vector<std::int64_t> walls;
  for (const Step* step : phases) {
    if (!step->counts) continue;
    walls.push_back(step->wall_ns);
    row.wall_ns += static_cast<double>(step->wall_ns);
    if (step->kind != StepKind::steady)
      ++row.slow, row.slow_ns += static_cast<double>(step->wall_ns);
    if (!step->samples) continue;
    row.samples += static_cast<double>(*step->samples);
    row.samples_wall_ns += static_cast<double>(step->wall_ns);
  }
  if (walls.empty()) return row;
  row.counted = walls.size();
  row.median_ns = take_percentile(walls, 0.50);
  row.p5_ns = take_percentile(walls, 0.05);
  row.p95_ns = take_percentile(walls, 0.95);
  return row;
}

constexpr ColumnOf<SummaryRow> kSummaryColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.run.strings[r.phases.front()->phase]; }},
    {"thread", "The thread that steps.",
     [](auto& r) { return thread_label(r.run, r.run.tracks[r.phases.front()->track]); }},
    {"steps", Unit::count, "How many steps, the warm-up included.",
     [](auto& r) { return r.phases.size(); }},
    {"warmup", Unit::count, "How many of them are warm-up.",
     [](auto& r) { return r.count([](auto& s) { return s.kind == StepKind::warmup; }); }},
    {"median_ns", Unit::ns, "The median step time.", [](auto& r) { return r.median_ns; }},
    {"p5_ns", Unit::ns, "The 5th percentile of step times.", [](auto& r) { return r.p5_ns; }},
    {"p95_ns", Unit::ns, "The 95th percentile of step times.", [](auto& r) { return r.p95_ns; }},
    {"steps_per_s", Unit::per_second, "Steps per second.",
     [](auto& r) { return ratio(static_cast<double>(r.counted) * 1e9, r.wall_ns); }},
    {"samples_per_s", Unit::per_second, "Samples per second, over the steps with a known batch.",
     [](auto& r) { return ratio(r.samples * 1e9, r.samples_wall_ns); }},
    {"recorded", Unit::count, "How many steps have op records.",
     [](auto& r) {
       return known_if(r.phases.front()->ops != StepOps::unknown,
                       r.count([](auto& s) { return s.ops == StepOps::recorded; }));
     }},
    {"compile", Unit::count, "During how many steps something was compiled; unknown if in none.",
     [](auto& r) {
       const auto count = r.count([](auto& s) { return s.kind == StepKind::compile; });
       return known_if(count != 0, count);
     }},
    {"slow", Unit::count, "How many steps that count are outliers or compile; unknown if none.",
     [](auto& r) { return known_if(r.slow != 0, r.slow); }},
    {"slow_share", Unit::share, "The slow steps' part of the time.",
     [](auto& r) { return r.slow == 0 ? std::nullopt : ratio(r.slow_ns, r.wall_ns); }},
    {"mean_ns", Unit::ns, "The mean step time.",
     [](auto& r) { return ratio(r.wall_ns, r.counted); }}};
constexpr TableOf<SummaryRow> kStepSummary{"step_summary", kSummaryColumns};

struct StepListRow {
  const Run& run;
  const Step& step;
};

constexpr ColumnOf<StepListRow> kStepColumns[] = {
    {"step", "The step's number on its thread.", [](auto& r) { return r.step.number; }},
    {"phase", "`train`, `validation` …", [](auto& r) { return r.run.strings[r.step.phase]; }},
    {"kind", "`warmup`, `compile`, `outlier`, `pause` or `steady`.",
     [](auto& r) { return kind_name(r.step.kind); }},
    {"start_ns", Unit::ns, "When it began.", [](auto& r) { return r.step.start_ns; }},
    {"wall_ns", Unit::ns, "How long it took.", [](auto& r) { return r.step.wall_ns; }},
    {"samples", Unit::count, "How many samples its batch has.",
     [](auto& r) { return r.step.samples; }},
    {"recorded", "0 if the step has no op records.",
     [](auto& r) { return int{r.step.ops != StepOps::rested}; }},
    {"thread", "The thread that steps.",
     [](auto& r) { return thread_label(r.run, r.run.tracks[r.step.track]); }}};
constexpr TableOf<StepListRow> kSteps{"steps", kStepColumns};

}  // namespace

Table steps_table(const Analysis& analysis) {
  Table table = kSteps.empty("Steps");
  table.rows.reserve(analysis.steps().size());
  for (const Step& step : analysis.steps()) kSteps.add(table, {analysis.run(), step});
  return table;
}

Table step_summary_table(const Analysis& analysis) {
  Table table = kStepSummary.empty("Steps, without warmup");
  for (const auto& [key, phases] : by_phase(analysis.steps()))
    kStepSummary.add(table, summarize(analysis.run(), phases));
  return table;
}

constinit const TableDefinition kStepsTable = define_table<kSteps>("one row a step",
                                                                   R"(
A step ends at its mark and begins where the previous one on its thread ended. So the first step
after a validation begins where the validation ended. Steps with op records are compared with
each other, and so are the others. The kinds:

- `warmup`: the first step, and slow ones right after it;
- `compile`: something was compiled during it;
- `outlier`: longer than the median by more than 5 spreads;
- `pause`: longer than a second, than 100 median steps, and than as many median steps as there
  are. The program waited for its user;
- `steady`: all others.)",
                                                                   steps_table);

constinit const TableDefinition kStepSummaryTable =
    define_table<kStepSummary>("step times and rates",
                               R"(
There is one row a thread and phase. Times and rates are over the steps that count.)",
                               step_summary_table);

}  // namespace laptime
