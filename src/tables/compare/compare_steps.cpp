#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "tables/compare/compare.h"
#include "trace/analysis.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// The times of each phase's usual steps, in order.
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

constexpr ColumnOf<PhaseChange> kChangeColumns[] = {
    {"phase", "The phase.", [](auto& c) { return std::string_view(c.phase); }},
    {"steps_a", Unit::count, "Usual steps of A: without warm-up and compilation.",
     [](auto& c) { return c.steps_a; }},
    {"steps_b", Unit::count, "Usual steps of B.", [](auto& c) { return c.steps_b; }},
    {"median_a_ns", Unit::ns, "A's median step time.", [](auto& c) { return c.median_a; }},
    {"median_b_ns", Unit::ns, "B's median step time.", [](auto& c) { return c.median_b; }},
    {"time_ratio", Unit::factor, "B's step time over A's.",
     [](auto& c) { return c.times ? std::optional(c.times->ratio) : std::nullopt; }},
    {"low", Unit::factor, "The interval's lower end.",
     [](auto& c) { return c.times ? std::optional(c.times->low) : std::nullopt; }},
    {"high", Unit::factor, "The interval's upper end.",
     [](auto& c) { return c.times ? std::optional(c.times->high) : std::nullopt; }},
    {"verdict", "`faster`, `slower`, `no difference` or `too few steps to tell`.",
     [](auto& c) { return verdict_text(c.verdict); }}};
constexpr TableOf<PhaseChange> kCompareSteps{"compare_steps", kChangeColumns};
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
  return kCompareSteps.build("Steps, A against B", changes);
}

constinit const TableDefinition kCompareStepsTable = define_table<kCompareSteps>(
    "whether the steps of run B are faster or slower than those of run A",
    R"(
From `laptime compare A B`. A verdict needs an interval that leaves out 1, and a difference that
is not negligible. Further tables, `compare_breakdown`, `compare_lines`, `compare_ops`,
`compare_kernels`, `compare_scopes` and `compare_functions`, have the time a step on both sides:
`a_ns`, `b_ns`, `change_ns`, `ratio`.)",
    nullptr);

}  // namespace laptime
