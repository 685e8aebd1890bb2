#include "analyze/steps.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/percentile.h"
#include "analyze/stretches.h"
#include "analyze/thread_label.h"

namespace laptime {

namespace {

constexpr double kSpreadsToOutlier = 5;
constexpr double kSigmaPerDeviation = 1.4826;
constexpr double kLeastSpread = 0.02;
constexpr std::size_t kFewestToTell = 3;
constexpr std::size_t kFirstSteps = 10;      // of a phase: compilations there are part of its warmup
constexpr std::size_t kPauseInSteps = 100;  // median steps
constexpr std::int64_t kShortestPause = 1'000'000'000;

std::optional<std::int64_t> integer_arg(const ArgColumns& args, std::uint32_t row, std::uint32_t key) {
  const auto first = std::lower_bound(args.row.begin(), args.row.end(), row) - args.row.begin();
  for (auto i = static_cast<std::size_t>(first); i < args.size() && args.row[i] == row; ++i)
    if (args.key[i] == key && args.type[i] == ArgType::integer) return static_cast<std::int64_t>(args.value[i]);
  return std::nullopt;
}

struct StepKeys {
  std::uint32_t samples, ops;
};

StepOps step_ops(std::optional<std::int64_t> arg) {
  if (!arg) return StepOps::not_told;
  return *arg != 0 ? StepOps::recorded : StepOps::rested;
}

void add_steps_of(const Run& run, std::uint32_t track, const StepKeys& keys, std::vector<Step>& steps) {
  const SpanColumns& spans = run.tracks[track].spans;
  const std::size_t before = steps.size();
  for (std::uint32_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::step)
      steps.push_back({0, track, spans.name[row], spans.start[row], spans.duration[row], integer_arg(spans.args, row, keys.samples),
                       step_ops(integer_arg(spans.args, row, keys.ops))});
  const auto first = steps.begin() + static_cast<std::ptrdiff_t>(before);
  std::stable_sort(first, steps.end(), [](const Step& a, const Step& b) { return a.start_ns < b.start_ns; });
  for (auto it = first; it != steps.end(); ++it) it->number = static_cast<std::uint32_t>(it - first);
}

// Marks the steps during which their process compiled.
void find_compile_steps(const Run& run, std::vector<Step>& steps) {
  std::vector<std::vector<Stretch>> compiling(run.processes.size());
  for (const Track& track : run.tracks)
    for (std::size_t row = 0; row < track.spans.size(); ++row)
      if (track.spans.kind[row] == SpanKind::compile) compiling[track.process].push_back({track.spans.start[row], track.spans.end(row)});
  std::vector<Stretches> merged(compiling.begin(), compiling.end());
  for (Step& step : steps)
    if (merged[run.tracks[step.track].process].overlaps(step.start_ns, step.start_ns + step.wall_ns)) step.kind = StepKind::compile;
}

// Steps that compare with each other: of one track and phase.
template <typename Steps>
auto laps_of(Steps& steps) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<decltype(steps.data())>> laps;
  for (auto& step : steps) laps[{step.track, step.phase}].push_back(&step);
  return laps;
}

std::int64_t median(std::vector<std::int64_t> values) { return take_percentile(values, 0.5); }

// Above which a step is an outlier among those that it compares with.
double outlier_limit(std::span<Step* const> steps, StepOps ops) {
  std::vector<std::int64_t> walls;
  for (const Step* s : steps)
    if (s->ops == ops) walls.push_back(s->wall_ns);
  if (walls.empty()) return INFINITY;
  const std::int64_t middle = median(walls);
  for (std::int64_t& w : walls) w = std::abs(w - middle);
  const double spread = std::max(kSigmaPerDeviation * static_cast<double>(median(walls)), kLeastSpread * static_cast<double>(middle));
  return static_cast<double>(middle) + kSpreadsToOutlier * spread;
}

void find_warmup_and_outliers(std::span<Step* const> steps) {
  if (steps.size() < kFewestToTell) return;
  const std::span<Step* const> later = steps.subspan(1);
  const double limits[] = {outlier_limit(later, StepOps::not_told), outlier_limit(later, StepOps::rested), outlier_limit(later, StepOps::recorded)};
  bool warm = false;
  for (Step* step : steps) {
    const bool slow = static_cast<double>(step->wall_ns) > limits[static_cast<std::size_t>(step->ops)];
    warm |= step != steps.front() && !slow;
    step->kind = !warm ? StepKind::warmup : slow ? StepKind::outlier : StepKind::steady;
  }
}

void find_pauses(std::span<Step* const> steps) {
  std::vector<std::int64_t> walls;
  for (const Step* step : steps)
    if (step->kind != StepKind::warmup) walls.push_back(step->wall_ns);
  if (walls.size() < kFewestToTell) return;
  const auto longest = median(walls) * static_cast<std::int64_t>(std::max(walls.size(), kPauseInSteps));
  for (Step* step : steps)
    if (step->kind != StepKind::warmup && step->wall_ns > std::max(longest, kShortestPause)) step->kind = StepKind::pause;
}

Row summary_row(const Run& run, const std::vector<const Step*>& laps) {
  std::vector<std::int64_t> walls;
  double wall_ns = 0, samples = 0, samples_wall_ns = 0, slow_ns = 0;
  std::size_t slow = 0;
  const auto count = [&](auto wanted) { return integer_cell(static_cast<std::uint64_t>(std::count_if(laps.begin(), laps.end(), wanted))); };
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
  Row row{std::string(run.strings[laps.front()->phase]), thread_label(run, track), integer_cell(laps.size()),
          count([](const Step* s) { return s->kind == StepKind::warmup; })};
  for (const double share : {0.50, 0.05, 0.95}) row.push_back(walls.empty() ? kUnknown : Cell(take_percentile(walls, share)));
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

const char* kind_name(StepKind kind) {
  switch (kind) {
    case StepKind::warmup: return "warmup";
    case StepKind::compile: return "compile";
    case StepKind::steady: return "steady";
    case StepKind::outlier: return "outlier";
    case StepKind::pause: return "pause";
  }
  return "";
}

void classify_steps(std::span<Step*> all) {
  std::vector<Step*> steps;
  std::copy_if(all.begin(), all.end(), std::back_inserter(steps), [](const Step* s) { return s->kind != StepKind::compile; });
  find_warmup_and_outliers(steps);
  find_pauses(steps);
  bool any = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const StepKind kind = all[i]->kind;
    all[i]->counts = kind != StepKind::warmup && kind != StepKind::pause && (kind != StepKind::compile || i >= kFirstSteps);
    any |= all[i]->counts;
  }
  for (Step* step : all) step->counts |= !any && step->kind == StepKind::compile;
}

std::vector<Step> find_steps(const Run& run) {
  const StepKeys keys{run.strings.find("samples"), run.strings.find("ops")};
  std::vector<Step> steps;
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) add_steps_of(run, t, keys, steps);
  if (!steps.empty()) find_compile_steps(run, steps);
  for (auto& [key, laps] : laps_of(steps)) classify_steps(laps);
  return steps;
}

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
    table.rows.push_back({integer_cell(s.number), std::string(run.strings[s.phase]), kind_name(s.kind), s.start_ns, s.wall_ns,
                          s.samples ? Cell(*s.samples) : kUnknown, std::int64_t{s.ops != StepOps::rested}, thread_label(run, run.tracks[s.track])});
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
  for (const auto& [key, laps] : laps_of(analysis.steps())) table.rows.push_back(summary_row(run, laps));
  return table;
}

}  // namespace laptime
