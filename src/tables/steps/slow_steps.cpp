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

// The compared steps of a phase.
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

// The means of the same kinds of steps on both sides, divided into the same categories.
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

struct SlowRow {
  std::string_view phase;
  const char* what;
  std::size_t slow_steps, median_steps;
  double total_excess_ns = 0, slow_ns = 0, median_ns = 0;
  std::optional<std::string> category{};
  std::optional<std::string_view> file{}, source{};
  std::optional<std::uint32_t> line{};

  double excess_ns() const { return slow_ns - median_ns; }
};

constexpr ColumnOf<SlowRow> kSlowColumns[] = {
    {"phase", "The phase.", [](auto& r) { return r.phase; }},
    {"what", "`total`, `category` or `line`.", [](auto& r) { return r.what; }},
    {"category", "As in `breakdown`.", [](auto& r) { return r.category; }},
    {"file", "The line's file.", [](auto& r) { return r.file; }},
    {"line", "The line.", [](auto& r) { return r.line; }},
    {"source", "Its text.", [](auto& r) { return r.source; }},
    {"slow_ns", Unit::ns, "The time in a slow step.", [](auto& r) { return r.slow_ns; }},
    {"median_ns", Unit::ns, "The time in a median step.", [](auto& r) { return r.median_ns; }},
    {"excess_ns", Unit::ns, "The difference.", [](auto& r) { return r.excess_ns(); }},
    {"share", Unit::share, "The difference, as a part of the total's.",
     [](auto& r) { return ratio(r.excess_ns(), r.total_excess_ns); }},
    {"slow_steps", Unit::count, "How many slow steps were compared.",
     [](auto& r) { return r.slow_steps; }},
    {"median_steps", Unit::count, "How many median steps.",
     [](auto& r) { return r.median_steps; }}};
constexpr TableOf<SlowRow> kSlowSteps{"slow_steps", kSlowColumns};

class PhaseRows {
 public:
  PhaseRows(const Run& run, const SlowAndMedian& sides, Table& table)
      : table_(table),
        phase_(run.strings[sides.slow.front()->step.phase]),
        slow_(sides.slow.size()),
        median_(sides.median.size()) {}

  void add(const char* what, std::optional<std::string> category, double slow_ns,
           double median_ns) {
    SlowRow row = make(what, slow_ns, median_ns);
    row.category = std::move(category);
    kSlowSteps.add(table_, row);
  }
  void add_line(std::string_view file, std::uint32_t line, std::optional<std::string_view> source,
                double slow_ns, double median_ns) {
    SlowRow row = make("line", slow_ns, median_ns);
    row.file = file;
    row.line = line;
    row.source = source;
    kSlowSteps.add(table_, row);
  }
  void set_total(double excess_ns) { excess_ns_ = excess_ns; }
  double excess_ns() const { return excess_ns_; }

 private:
  SlowRow make(const char* what, double slow_ns, double median_ns) const {
    return {phase_, what, slow_, median_, excess_ns_, slow_ns, median_ns};
  }

  Table& table_;
  std::string_view phase_;
  std::size_t slow_, median_;
  double excess_ns_ = 0;
};
void add_categories(const Run& run, const SlowAndMedian& sides, PhaseRows& rows) {
  const Means means(sides);
  rows.set_total(means.slow.wall_ns - means.median.wall_ns);
  rows.add("total", std::nullopt, means.slow.wall_ns, means.median.wall_ns);
  const HostKnowledge known{is_python_step(run, sides.slow.front()->step), means.slow.divided(),
                            means.slow.sources};
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
    for (const Found& line : found) {
      const std::string_view file = run_.strings[run_.codes[line.code].file];
      rows.add_line(file, line.line, sources_.find(file, line.line), line.slow_ns, line.median_ns);
    }
  }

 private:
  enum class Side : std::uint8_t { neither, slow, median };
  struct Times {
    double slow_ns = 0, median_ns = 0;
  };

  const Run& run_;
  const SlowAndMedian& sides_;
  SourceLines sources_;
  std::map<CodeLine, Times> lines_;
};

}  // namespace

Table slow_steps_table(const Analysis& analysis) {
  Table table = kSlowSteps.empty("Why slow steps are slow");
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

constinit const TableDefinition kSlowStepsTable =
    define_table<kSlowSteps>("why slow steps are slow: against median ones, by category and line",
                             R"(
Slow steps are outliers and steps that compile. If there are none, they are those over the 95th
percentile. Median steps are the middle fifth. Only steps that count are compared. Steps with op
records are compared with each other, and so are the others. A phase with fewer than 20 steps of
a kind has no rows.

The categories' excess sums to the total's. A line's time is its own, without the timed
functions that it called. A line has a row if slow steps spend more on it: at least 1 % of the
excess.

    $ laptime report train.lap slow_steps
    Why slow steps are slow
      phase  what      category        file      line     slow   median  excess    share              slow steps  median steps
      train  total     -               -            -  1.93 ms  1.00 ms  923 µs  100.0 %  ██████████           2            22
      train  category  input wait      -            -   600 µs   100 µs  500 µs   54.2 %  █████▍               2            22
      train  category  python and ops  -            -  1.23 ms   802 µs  423 µs   45.8 %  ████▋                2            22
      train  category  optimizer       -            -   100 µs   100 µs    0 ns    0.0 %                       2            22
      train  line      -               train.py     9   500 µs   200 µs  300 µs   32.5 %  ███▎                 2            22)",
                             slow_steps_table);

}  // namespace laptime
