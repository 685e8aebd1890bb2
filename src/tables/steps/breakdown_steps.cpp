#include "tables/steps/breakdown_steps.h"

#include <algorithm>
#include <map>

#include "tables/run/thread_label.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/time/mean_step.h"

namespace laptime {

namespace {

struct HostStepRow {
  const Run& run;
  const Step& step;
  HostTimes<std::int64_t> host;
};

constexpr auto kHostStepColumns = join_columns(
    std::to_array<ColumnOf<HostStepRow>>(
        {{"step", "The step's number.", [](auto& r) { return r.step.number; }},
         {"phase", "Its phase.", [](auto& r) { return r.run.strings[r.step.phase]; }},
         {"kind", "As in `steps`.", [](auto& r) { return kind_name(r.step.kind); }},
         {"start_ns", Unit::ns, "When it began.", [](auto& r) { return r.step.start_ns; }},
         {"wall_ns", Unit::ns, "How long it took.", [](auto& r) { return r.step.wall_ns; }}}),
    host_columns<HostStepRow>(),
    std::to_array<ColumnOf<HostStepRow>>({{"thread", "The thread that steps.", [](auto& r) {
                                             return thread_label(r.run, r.run.tracks[r.step.track]);
                                           }}}));
constexpr TableOf<HostStepRow> kBreakdownSteps{"breakdown_steps", kHostStepColumns};

struct TimePartRow {
  const Run& run;
  const Step &first, &last;
  const MeanStep& mean;
  HostTimes<double> host;
};

constexpr auto kTimePartColumns = join_columns(
    std::to_array<ColumnOf<TimePartRow>>(
        {{"phase", "The phase.", [](auto& r) { return r.run.strings[r.first.phase]; }},
         {"first_step", "The number of the part's first step.",
          [](auto& r) { return r.first.number; }},
         {"last_step", "The number of its last step.", [](auto& r) { return r.last.number; }},
         {"start_ns", Unit::ns, "When the first began.", [](auto& r) { return r.first.start_ns; }},
         {"end_ns", Unit::ns, "When the last ended.",
          [](auto& r) { return r.last.start_ns + r.last.wall_ns; }},
         {"steps", Unit::count, "How many steps.", [](auto& r) { return r.mean.steps; }},
         {"recorded", Unit::count, "How many of them have op records.",
          [](auto& r) { return r.mean.steps_with_ops; }},
         {"wall_ns", Unit::ns, "The mean step time.", [](auto& r) { return r.mean.wall_ns; }}}),
    host_columns<TimePartRow>(),
    std::to_array<ColumnOf<TimePartRow>>({{"thread", "The thread that steps.", [](auto& r) {
                                             return thread_label(r.run,
                                                                 r.run.tracks[r.first.track]);
                                           }}}));
constexpr TableOf<TimePartRow> kBreakdownTime{"breakdown_time", kTimePartColumns};

void add_part(const Run& run, const HostSteps& steps, Table& table) {
  const MeanStep mean = mean_of_alike(steps, steps_with_ops(steps));
  const Step &first = steps.front()->step, &last = steps.back()->step;
  const HostKnowledge known{is_python_step(run, first), mean.divided(), mean.sources};
  kBreakdownTime.add(table, {run, first, last, mean, {mean.exposed, known}});
}
// The numbers of steps in two parts differ by at most one.
std::vector<HostSteps> cut(const HostSteps& steps) {
  const std::size_t parts = std::min(steps.size(), kMostTimeParts);
  std::vector<HostSteps> result;
  for (std::size_t i = 0; i < parts; ++i) {
    const auto at = [&](std::size_t part) {
      return steps.begin() + static_cast<std::ptrdiff_t>(part * steps.size() / parts);
    };
    result.emplace_back(at(i), at(i + 1));
  }
  return result;
}

}  // namespace

Table breakdown_steps_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = kBreakdownSteps.empty("Where each step went");
  for (const HostStep& s : analysis.host_steps())
    kBreakdownSteps.add(table, {run, s.step, {s.exposed, knowledge_of(run, s)}});
  return table;
}

Table breakdown_time_table(const Analysis& analysis) {
  Table table = kBreakdownTime.empty("Where steps went over time");
  std::map<std::pair<std::uint32_t, std::uint32_t>, HostSteps> phases;  // by track and phase
  for (const HostStep& s : analysis.host_steps())
    phases[{s.step.track, s.step.phase}].push_back(&s);
  for (const auto& [key, steps] : phases)
    for (const HostSteps& part : cut(steps)) add_part(analysis.run(), part, table);
  return table;
}

constinit const TableDefinition kBreakdownStepsTable =
    define_table<kBreakdownSteps>("where each step went",
                                  R"(
There is one row a step. Its known categories sum to its wall time; `breakdown` explains them.
In steps without op records, Python and ops are one: `other_ns`. Launches and waits in the
optimizer are then the optimizer's.)",
                                  breakdown_steps_table);

constinit const TableDefinition kBreakdownTimeTable =
    define_table<kBreakdownTime>("where steps went over time",
                                 R"(
All steps of a phase, the warm-up included, in their order and in at most 20 parts of equally
many steps. The categories are means, which sum to `wall_ns`.)",
                                 breakdown_time_table);

}  // namespace laptime
