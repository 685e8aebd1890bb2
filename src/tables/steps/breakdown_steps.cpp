#include "tables/steps/breakdown_steps.h"

#include <algorithm>
#include <map>

#include "tables/run/thread_label.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/time/mean_step.h"

namespace laptime {

namespace {

Row time_row(const Run& run, const HostSteps& steps) {
  const MeanStep mean = mean_of_alike(steps, steps_with_ops(steps));
  const Step &first = steps.front()->step, &last = steps.back()->step;
  Row row{std::string(run.strings[first.phase]),
          integer_cell(first.number),
          integer_cell(last.number),
          first.start_ns,
          last.start_ns + last.wall_ns,
          integer_cell(mean.steps),
          integer_cell(mean.steps_with_ops),
          mean.wall_ns};
  add_host_cells(row, mean.exposed, {is_python_step(run, first), mean.divided(), mean.knows_gpu});
  row.push_back(thread_label(run, run.tracks[first.track]));
  return row;
}

// Parts that differ by one step at most.
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
  Table table{"breakdown_steps",
              "Where each step went",
              {{"step", ColumnType::integer},
               {"phase", ColumnType::text},
               {"kind", ColumnType::text},
               {"start_ns", ColumnType::integer, Unit::ns},
               {"wall_ns", ColumnType::integer, Unit::ns}},
              {}};
  add_host_columns(table, ColumnType::integer);
  table.columns.push_back({"thread", ColumnType::text});
  const Run& run = analysis.run();
  for (const HostStep& s : analysis.host_steps()) {
    Row row{integer_cell(s.step.number), std::string(run.strings[s.step.phase]),
            kind_name(s.step.kind), s.step.start_ns, s.step.wall_ns};
    add_host_cells(row, s.exposed, {is_python_step(run, s.step), s.has_ops, s.has_gpu});
    row.push_back(thread_label(run, run.tracks[s.step.track]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table breakdown_time_table(const Analysis& analysis) {
  Table table{"breakdown_time",
              "Where steps went over time",
              {{"phase", ColumnType::text},
               {"first_step", ColumnType::integer},
               {"last_step", ColumnType::integer},
               {"start_ns", ColumnType::integer, Unit::ns},
               {"end_ns", ColumnType::integer, Unit::ns},
               {"steps", ColumnType::integer, Unit::count},
               {"recorded", ColumnType::integer, Unit::count},
               {"wall_ns", ColumnType::real, Unit::ns}},
              {}};
  add_host_columns(table, ColumnType::real);
  table.columns.push_back({"thread", ColumnType::text});
  std::map<std::pair<std::uint32_t, std::uint32_t>, HostSteps> laps;  // by track and phase
  for (const HostStep& s : analysis.host_steps()) laps[{s.step.track, s.step.phase}].push_back(&s);
  for (const auto& [key, steps] : laps)
    for (const HostSteps& part : cut(steps)) table.rows.push_back(time_row(analysis.run(), part));
  return table;
}

}  // namespace laptime
