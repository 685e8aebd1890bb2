#include "tables/steps/ranks_table.h"

#include <algorithm>

#include "base/percentile.h"
#include "trace/analysis.h"
#include "trace/ranks/ranks.h"
#include "trace/steps/recorded_part.h"

namespace laptime {

namespace {

template <typename Get>
std::optional<std::int64_t> median_of(const Rank& rank, Get get) {
  std::vector<std::int64_t> values;
  for (const RankStep& step : rank.steps) values.push_back(get(step));
  return values.empty() ? std::nullopt : std::optional(take_percentile(values, 0.5));
}
// By rank: in how many steps it had the most own work.
std::vector<std::size_t> count_slowest(const std::vector<std::vector<RankStep>>& steps,
                                       std::size_t ranks) {
  std::vector<std::size_t> counts(ranks);
  for (const std::vector<RankStep>& step : steps) {
    const auto slowest = std::max_element(
        step.begin(), step.end(),
        [](const RankStep& a, const RankStep& b) { return a.own_ns() < b.own_ns(); });
    ++counts[static_cast<std::size_t>(slowest - step.begin())];
  }
  return counts;
}

struct RankRow {
  const Run& run;
  const Rank& rank;
  std::size_t slowest, common_steps;
};

constexpr ColumnOf<RankRow> kRankColumns[] = {
    {"rank", "The rank, as the process reports it.", [](auto& r) { return r.rank.number; }},
    {"pid", "The process.", [](auto& r) { return r.run.processes[r.rank.process].pid; }},
    {"phase", "The phase.", [](auto& r) { return r.run.strings[r.rank.main_phase.phase]; }},
    {"steps", Unit::count, "How many steps the medians are over.",
     [](auto& r) { return r.rank.steps.size(); }},
    {"median_ns", Unit::ns, "The median step time.",
     [](auto& r) { return median_of(r.rank, [](auto& s) { return s.step->step.wall_ns; }); }},
    {"own_ns", Unit::ns, "The median of a step's own work: the step without `communication_ns`.",
     [](auto& r) { return median_of(r.rank, [](auto& s) { return s.own_ns(); }); }},
    {"communication_ns", Unit::ns, "The median of a step's waits in communication.",
     [](auto& r) { return median_of(r.rank, [](auto& s) { return s.waiting_ns; }); }},
    {"slowest", Unit::share, "The part of the common steps in which it had most work of its own.",
     [](auto& r) { return ratio(r.slowest, r.common_steps); }}};
constexpr TableOf<RankRow> kRanks{"ranks", kRankColumns};

}  // namespace

Table ranks_table(const Analysis& analysis) {
  Table table = kRanks.empty(
      "Ranks" + from_recorded_steps(analysis.steps(), analysis.device_steps().left_out.size()));
  const std::vector<Rank>& ranks = analysis.ranks();
  const auto common = common_steps(ranks);
  const std::vector<std::size_t> slowest = count_slowest(common, ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r)
    kRanks.add(table, {analysis.run(), ranks[r], slowest[r], common.size()});
  return table;
}

constinit const TableDefinition kRanksTable = define_table<kRanks>(
    "processes that train together: own work, waits for each other, which is slowest",
    R"(
There is one row a process that steps and calls collectives. The overview shows them if there
are two or more. Waits in communication are those on the host or on the GPU that waits longest.
Medians are over the steps whose communication is known, without the warm-up.

Collectives make ranks wait for each other, so the slowest rank is the one that waits least.
Steps of different ranks are aligned by their numbers.)",
    ranks_table);

}  // namespace laptime
