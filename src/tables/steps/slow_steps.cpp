#include "tables/steps/slow_steps.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/code/code_merge.h"
#include "trace/code/line_facts.h"
#include "trace/code/line_self_times.h"
#include "trace/code/source_lines.h"
#include "trace/steps/step_choice.h"
#include "trace/steps/step_times.h"
#include "trace/time/mean_step.h"

namespace laptime {

namespace {

constexpr std::size_t kFewestSteps = 20;
constexpr double kLeastShare = 0.01;  // of the excess
constexpr double kSlowOver = 0.95, kMiddleFrom = 0.40,
                 kMiddleTo = 0.60;  // percentiles of wall times

// The steps of a phase that are compared.
struct SlowAndMedian {
  HostSteps slow, median;
};

bool is_usual(const HostStep& s) { return s.step.kind == StepKind::steady; }

void add_kind(const HostSteps& steps, bool has_outliers, SlowAndMedian& sides) {
  if (steps.size() < kFewestSteps) return;
  std::vector<std::int64_t> walls;
  for (const HostStep* s : steps) walls.push_back(s->step.wall_ns);
  const auto limit = [&](double share) { return take_percentile(walls, share); };
  const std::int64_t slow = limit(kSlowOver), low = limit(kMiddleFrom), high = limit(kMiddleTo);
  for (const HostStep* s : steps) {
    const std::int64_t wall = s->step.wall_ns;
    if (has_outliers ? !is_usual(*s) : wall > slow)
      sides.slow.push_back(s);
    else if (wall >= low && wall <= high)
      sides.median.push_back(s);
  }
}

SlowAndMedian divide(const HostSteps& steps) {
  SlowAndMedian sides;
  const bool has_outliers =
      !std::all_of(steps.begin(), steps.end(), [](const HostStep* s) { return is_usual(*s); });
  for (const bool with_ops : {false, true})
    add_kind(select_steps(steps, [&](const HostStep& s) { return s.has_ops == with_ops; }),
             has_outliers, sides);
  return sides;
}

// Means of the same kinds of steps on both sides, divided by the same categories.
struct Means {
  MeanStep slow, median;

  explicit Means(const SlowAndMedian& sides)
      : Means(sides, steps_with_ops(sides.slow), steps_with_ops(sides.median)) {}

 private:
  Means(const SlowAndMedian& sides, const HostSteps& slow_with_ops,
        const HostSteps& median_with_ops)
      : slow(mean_of_alike(sides.slow, median_with_ops.empty() ? HostSteps{} : slow_with_ops)),
        median(mean_of_alike(sides.median, slow_with_ops.empty() ? HostSteps{} : median_with_ops)) {
  }
};

class PhaseRows {
 public:
  PhaseRows(const Run& run, const SlowAndMedian& sides, Table& table)
      : table_(table),
        phase_(run.strings[sides.slow.front()->step.phase]),
        slow_(sides.slow.size()),
        median_(sides.median.size()) {}

  void add(const char* what, Cell category, double slow_ns, double median_ns) {
    put(what, {std::move(category), kUnknown, kUnknown, kUnknown}, slow_ns, median_ns);
  }
  void add_line(Row place, double slow_ns, double median_ns) {
    put("line", std::move(place), slow_ns, median_ns);
  }
  void set_total(double excess_ns) { excess_ns_ = excess_ns; }
  double excess_ns() const { return excess_ns_; }

 private:
  // `place`: category, file, line, source.
  void put(const char* what, Row place, double slow_ns, double median_ns) {
    Row row{std::string(phase_), what};
    row.insert(row.end(), std::make_move_iterator(place.begin()),
               std::make_move_iterator(place.end()));
    row.insert(row.end(), {slow_ns, median_ns, slow_ns - median_ns,
                           ratio_cell(slow_ns - median_ns, excess_ns_), integer_cell(slow_),
                           integer_cell(median_)});
    table_.rows.push_back(std::move(row));
  }

  Table& table_;
  std::string_view phase_;
  std::size_t slow_, median_;
  double excess_ns_ = 0;
};

void add_categories(const Run& run, const SlowAndMedian& sides, PhaseRows& rows) {
  const Means means(sides);
  rows.set_total(means.slow.wall_ns - means.median.wall_ns);
  rows.add("total", kUnknown, means.slow.wall_ns, means.median.wall_ns);
  const HostKnowledge known{is_python_step(run, sides.slow.front()->step), means.slow.divided(),
                            means.slow.knows_gpu};
  std::multimap<double, HostCategory, std::greater<>> by_excess;
  for (const HostCategory category : kHostOrder) {
    const auto c = static_cast<std::size_t>(category);
    if (means.slow.exposed[c] != 0 || means.median.exposed[c] != 0)
      by_excess.emplace(means.slow.exposed[c] - means.median.exposed[c], category);
  }
  for (const auto& [excess, category] : by_excess) {
    const auto c = static_cast<std::size_t>(category);
    rows.add("category", host_category_name(category, known), means.slow.exposed[c],
             means.median.exposed[c]);
  }
}

// Own times of lines in slow and in median steps.
class LineExcess {
 public:
  LineExcess(const Analysis& analysis, const SlowAndMedian& sides)
      : run_(analysis.run()), sides_(sides), sources_(run_) {
    std::vector<Side> side_of(analysis.steps().size(), Side::neither);
    const HostStep* const first = analysis.host_steps().data();
    for (const HostStep* s : sides.slow) side_of[static_cast<std::size_t>(s - first)] = Side::slow;
    for (const HostStep* s : sides.median)
      side_of[static_cast<std::size_t>(s - first)] = Side::median;
    const StepIndex index(analysis.run(), analysis.steps());
    const MergedCodes merged(run_);
    for (const Track& track : run_.tracks) {
      if (!knows_line_self_times(run_.processes[track.process])) continue;
      visit_line_self_times(
          run_, merged, track.tallies, [&](std::uint32_t step, CodeLine line, double ns) {
            const std::uint32_t place = index.find(track.process, step);
            const Side side = place == kNoStep ? Side::neither : side_of[index.step(place)];
            if (side == Side::neither) return;
            Times& times = lines_[line];
            (side == Side::slow ? times.slow_ns : times.median_ns) += ns;
          });
    }
  }

  void add_rows(PhaseRows& rows) {
    struct Found {
      std::uint32_t code, line;
      double slow_ns, median_ns;
      double excess_ns() const { return slow_ns - median_ns; }
    };
    std::vector<Found> found;
    for (const auto& [key, times] : lines_) {
      const Found line{key.first, key.second,
                       times.slow_ns / static_cast<double>(sides_.slow.size()),
                       times.median_ns / static_cast<double>(sides_.median.size())};
      if (line.excess_ns() > kLeastShare * rows.excess_ns()) found.push_back(line);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.excess_ns() > b.excess_ns(); });
    for (const Found& line : found)
      rows.add_line(place_cells(line.code, line.line), line.slow_ns, line.median_ns);
  }

 private:
  enum class Side : std::uint8_t { neither, slow, median };
  struct Times {
    double slow_ns = 0, median_ns = 0;
  };
  Row place_cells(std::uint32_t code, std::uint32_t line) {
    const std::string_view file = run_.strings[run_.codes[code].file];
    const auto source = sources_.find(file, line);
    return {kUnknown, std::string(file), integer_cell(line),
            source ? Cell(std::string(*source)) : kUnknown};
  }

  const Run& run_;
  const SlowAndMedian& sides_;
  SourceLines sources_;
  std::map<CodeLine, Times> lines_;
};

}  // namespace

Table slow_steps_table(const Analysis& analysis) {
  Table table{"slow_steps",
              "Why slow steps are slow",
              {{"phase", ColumnType::text},
               {"what", ColumnType::text},
               {"category", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"source", ColumnType::text},
               {"slow_ns", ColumnType::real, Unit::ns},
               {"median_ns", ColumnType::real, Unit::ns},
               {"excess_ns", ColumnType::real, Unit::ns},
               {"share", ColumnType::real, Unit::share},
               {"slow_steps", ColumnType::integer, Unit::count},
               {"median_steps", ColumnType::integer, Unit::count}},
              {}};
  std::map<std::uint32_t, HostSteps> phases;
  for (const HostStep& step : analysis.host_steps())
    if (step.step.counts) phases[step.step.phase].push_back(&step);
  for (const auto& [phase, steps] : phases) {
    const SlowAndMedian sides = divide(steps);
    if (sides.slow.empty()) continue;
    PhaseRows rows(analysis.run(), sides, table);
    add_categories(analysis.run(), sides, rows);
    LineExcess(analysis, sides).add_rows(rows);
  }
  return table;
}

}  // namespace laptime
