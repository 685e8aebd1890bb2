#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "tables/compare/compare.h"
#include "trace/analysis.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// The usual step times of each phase, in the order in which they were run.
std::map<std::string, std::vector<std::int64_t>> times_by_phase(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::map<std::string, std::vector<std::int64_t>> times;
  for (const Step& step : analysis.steps()) {
    std::vector<std::int64_t>& phase = times[std::string(run.strings[step.phase])];
    if (step.kind == StepKind::steady || step.kind == StepKind::outlier)
      phase.push_back(step.wall_ns);
  }
  return times;
}

std::optional<std::int64_t> median_of(std::vector<std::int64_t> times) {
  if (times.empty()) return std::nullopt;
  return take_percentile(times, 0.5);
}

Verdict judge(const std::optional<RatioInterval>& times) {
  if (!times) return Verdict::unknown;
  if (times->low > 1 && times->ratio > 1 + kNegligible) return Verdict::slower;
  if (times->high < 1 && times->ratio < 1 - kNegligible) return Verdict::faster;
  return Verdict::no_difference;
}

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::unknown:
      return "too few steps to tell";
    case Verdict::no_difference:
      return "no difference";
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
  }
  return "";
}

Cell median_cell(const std::optional<std::int64_t>& median) {
  return median ? Cell(*median) : kUnknown;
}

}  // namespace

std::vector<PhaseChange> compare_steps(const Analysis& a, const Analysis& b) {
  const auto times_a = times_by_phase(a), times_b = times_by_phase(b);
  static const std::vector<std::int64_t> none;
  std::vector<PhaseChange> changes;
  const auto add = [&](const std::string& phase, const std::vector<std::int64_t>& first,
                       const std::vector<std::int64_t>& second) {
    const auto times = compare_medians(first, second);
    changes.push_back({phase, first.size(), second.size(), median_of(first), median_of(second),
                       times, judge(times)});
  };
  for (const auto& [phase, times] : times_a)
    if (const auto other = times_b.find(phase); other != times_b.end())
      add(phase, times, other->second);
  for (const auto& [phase, times] : times_a)
    if (!times_b.contains(phase)) add(phase, times, none);
  for (const auto& [phase, times] : times_b)
    if (!times_a.contains(phase)) add(phase, none, times);
  return changes;
}

bool is_over(const std::vector<PhaseChange>& changes, double limit) {
  return std::any_of(changes.begin(), changes.end(), [&](const PhaseChange& change) {
    return change.verdict == Verdict::slower && change.times->ratio > 1 + limit;
  });
}

Table compare_steps_table(const std::vector<PhaseChange>& changes) {
  Table table{"compare_steps",
              "Steps, A against B",
              {{"phase", ColumnType::text},
               {"steps_a", ColumnType::integer, Unit::count},
               {"steps_b", ColumnType::integer, Unit::count},
               {"median_a_ns", ColumnType::integer, Unit::ns},
               {"median_b_ns", ColumnType::integer, Unit::ns},
               {"time_ratio", ColumnType::real, Unit::factor},
               {"low", ColumnType::real, Unit::factor},
               {"high", ColumnType::real, Unit::factor},
               {"verdict", ColumnType::text}},
              {}};
  for (const PhaseChange& c : changes)
    table.rows.push_back({c.phase, integer_cell(c.steps_a), integer_cell(c.steps_b),
                          median_cell(c.median_a), median_cell(c.median_b),
                          c.times ? Cell(c.times->ratio) : kUnknown,
                          c.times ? Cell(c.times->low) : kUnknown,
                          c.times ? Cell(c.times->high) : kUnknown, verdict_text(c.verdict)});
  return table;
}

}  // namespace laptime
