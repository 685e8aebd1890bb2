#include "tables/steps/ranks_table.h"

#include <algorithm>

#include "base/percentile.h"
#include "trace/analysis.h"
#include "trace/ranks/ranks.h"
#include "trace/steps/recorded_part.h"

namespace laptime {

namespace {

template <typename Get>
Cell median_of(const Rank& rank, Get get) {
  std::vector<std::int64_t> values;
  for (const RankStep& step : rank.steps) values.push_back(get(step));
  return values.empty() ? kUnknown : Cell(take_percentile(values, 0.5));
}

// By rank: in how many of the steps it had most work of its own.
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

}  // namespace

Table ranks_table(const Analysis& analysis) {
  Table table{
      "ranks",
      "Ranks" + from_recorded_steps(analysis.steps(), analysis.device_steps().left_out.size()),
      {{"rank", ColumnType::integer},
       {"pid", ColumnType::integer},
       {"phase", ColumnType::text},
       {"steps", ColumnType::integer, Unit::count},
       {"median_ns", ColumnType::integer, Unit::ns},
       {"own_ns", ColumnType::integer, Unit::ns},
       {"communication_ns", ColumnType::integer, Unit::ns},
       {"slowest", ColumnType::real, Unit::share}},
      {}};
  const Run& run = analysis.run();
  const std::vector<Rank>& ranks = analysis.ranks();
  const auto common = common_steps(ranks);
  const std::vector<std::size_t> slowest = count_slowest(common, ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const Rank& rank = ranks[r];
    table.rows.push_back(
        {rank.number ? Cell(*rank.number) : kUnknown, integer_cell(run.processes[rank.process].pid),
         std::string(run.strings[rank.lap.phase]), integer_cell(rank.steps.size()),
         median_of(rank, [](const RankStep& s) { return s.step->step.wall_ns; }),
         median_of(rank, [](const RankStep& s) { return s.own_ns(); }),
         median_of(rank, [](const RankStep& s) { return s.waiting_ns; }),
         ratio_cell(static_cast<double>(slowest[r]), static_cast<double>(common.size()))});
  }
  return table;
}

}  // namespace laptime
