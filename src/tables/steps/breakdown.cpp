#include "tables/steps/breakdown.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "tables/steps/device_breakdown.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/steps/recorded_part.h"
#include "trace/time/device_time.h"
#include "trace/time/mean_step.h"

namespace laptime {

namespace {

class PhaseBreakdown {
 public:
  // `steps`: those of a phase that count, not none.
  PhaseBreakdown(const Run& run, HostSteps steps)
      : run_(&run),
        all_(std::move(steps)),
        with_ops_(steps_with_ops(all_)),
        mean_(mean_step(all_)) {}

  void add_rows(Table& table) const {
    const HostKnowledge known{is_python_step(*run_, all_.front()->step), mean_.divided(),
                              mean_.knows_gpu};
    // A program that only marks its steps has nothing to divide them by.
    if (!known.python && mean_.exposed[index(HostCategory::rest)] == mean_.wall_ns) return;
    for (const HostCategory category : kHostOrder) {
      const double ns = mean_.exposed[index(category)],
                   overlapped = mean_.overlapped[index(category)];
      if (ns == 0 && overlapped == 0) continue;
      Row row{"host",       host_category_name(category, known),
              ns,           ratio_cell(ns, mean_.wall_ns),
              ns,           category == HostCategory::rest ? kUnknown : Cell(overlapped),
              phase_name(), integer_cell(mean_.steps_of(category))};
      add_spread(row, category);
      table.rows.push_back(std::move(row));
    }
    if (mean_.undivided_ns > 0)
      table.rows.push_back(
          undivided_row(table, "host", mean_.undivided_ns, mean_.wall_ns, phase_name()));
  }
  double total() const { return mean_.wall_ns * static_cast<double>(mean_.steps); }

 private:
  std::string phase_name() const { return std::string(run_->strings[all_.front()->step.phase]); }
  static std::size_t index(HostCategory category) { return static_cast<std::size_t>(category); }
  void add_spread(Row& row, HostCategory category) const {
    std::vector<std::int64_t> times;
    for (const HostStep* step : mean_.is_light(category) || with_ops_.empty() ? all_ : with_ops_)
      times.push_back(step->exposed[index(category)]);
    for (const double share : kSpread) row.push_back(take_percentile(times, share));
  }

  const Run* run_;
  HostSteps all_, with_ops_;
  MeanStep mean_;
};

// ", from 5 of 20 steps"; "; on the GPU from 3 of 20 steps" behind it where that is from fewer.
std::string from_steps(const Analysis& analysis) {
  const std::string host = from_recorded_steps(analysis.steps()),
                    device = from_recorded_steps(analysis.steps(),
                                                 analysis.device_steps().left_out.size());
  return host == device ? host : host + "; on the GPU" + device.substr(1);
}

}  // namespace

Table breakdown_table(const Analysis& analysis) {
  Table table{"breakdown",
              "Where a step goes" + from_steps(analysis),
              {{"view", ColumnType::text},
               {"category", ColumnType::text},
               {"ns_per_step", ColumnType::real, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"exposed_ns", ColumnType::real, Unit::ns},
               {"overlapped_ns", ColumnType::real, Unit::ns},
               {"phase", ColumnType::text},
               {"steps", ColumnType::integer, Unit::count},
               {"p5_ns", ColumnType::integer, Unit::ns},
               {"p50_ns", ColumnType::integer, Unit::ns},
               {"p95_ns", ColumnType::integer, Unit::ns}},
              {}};
  const std::vector<HostStep>& steps = analysis.host_steps();
  std::map<std::uint32_t, HostSteps> phases;
  for (const HostStep& step : steps)
    if (step.step.counts) phases[step.step.phase].push_back(&step);
  std::vector<PhaseBreakdown> parts;
  for (auto& [phase, of_phase] : phases) parts.emplace_back(analysis.run(), std::move(of_phase));
  std::stable_sort(
      parts.begin(), parts.end(),
      [](const PhaseBreakdown& a, const PhaseBreakdown& b) { return a.total() > b.total(); });
  for (const PhaseBreakdown& part : parts) part.add_rows(table);
  add_device_rows(analysis, table);
  return table;
}

}  // namespace laptime
