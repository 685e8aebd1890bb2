#include "advise/evidence/host_work.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/percentile.h"
#include "tables/code/line_columns.h"
#include "trace/code/code_merge.h"
#include "trace/code/line_ids.h"
#include "trace/ops/attribution.h"
#include "trace/run/intervals.h"

namespace laptime {

namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool,
                       bool>;  // name, line, optimizer span's name, backward, of_call

constexpr double kFast = 0.1;

struct OpSums {
  double calls = 0, self_ns = 0, total_ns = 0;
  std::vector<float> each_ns;  // self times
};

// By row: the name of the optimizer span around it, 0 none.
std::vector<std::uint32_t> optimizer_spans(const SpanColumns& spans, const OpTree& tree) {
  std::vector<std::uint32_t> within(tree.size());
  tree.outside_in([&](std::uint32_t row) {
    const std::uint32_t parent = tree.parent[row];
    if (parent != kNoRow)
      within[row] = spans.kind[parent] == SpanKind::optimizer ? spans.name[parent] : within[parent];
  });
  return within;
}

// Waits for input, and calls of compiled functions.
Intervals calls_on(const SpanColumns& spans) {
  std::vector<Interval> calls;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::dispatch || spans.kind[row] == SpanKind::loader)
      calls.push_back({spans.start[row], spans.end(row)});
  return Intervals(std::move(calls));
}

struct LineTotals {
  double hits = 0, time = 0, self = 0, time_squares = 0, self_squares = 0;
};

// From the sum and the sum of squares over `count` steps. Steps in which it did not occur count as
// 0.
Part part_of(double sum, double squares, double count) {
  const double mean = sum / count;
  const double variance = std::max(0.0, squares / count - mean * mean);
  return {mean, count > 1 ? std::sqrt(variance / (count - 1)) : mean};
}

class LineSums {
 public:
  explicit LineSums(const Run& run) : run_(run), merged_(run) {}

  // `counts(step)`: whether tallies of that step count.
  template <typename Counts>
  void add(const TallyColumns& rows, Counts counts) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows.kind[i] != TallyKind::line || !counts(rows.step[i])) continue;
      LineTotals& sums = sums_[{merged_[rows.code[i]], rows.where[i]}];
      const auto time = static_cast<double>(rows.inclusive[i]),
                 self = static_cast<double>(rows.exclusive[i]);
      sums.hits += static_cast<double>(rows.hits[i]);
      sums.time += time;
      sums.self += self;
      sums.time_squares += time * time;
      sums.self_squares += self * self;
    }
  }

  std::vector<StepLine> take(double steps) const {
    std::vector<StepLine> lines;
    for (const auto& [key, sums] : sums_) {
      const auto& [code_row, where] = key;
      const Code& code = run_.codes[code_row];
      lines.push_back({std::string(run_.strings[code.file]), std::string(run_.strings[code.name]),
                       where ? where : code.first_line, code.first_line, sums.hits / steps,
                       part_of(sums.time, sums.time_squares, steps),
                       part_of(sums.self, sums.self_squares, steps)});
    }
    std::stable_sort(lines.begin(), lines.end(),
                     [](const StepLine& a, const StepLine& b) { return a.time.ns > b.time.ns; });
    return lines;
  }

 private:
  const Run& run_;
  MergedCodes merged_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, LineTotals> sums_;  // merged code, line or 0
};

// By number of a step within its process: whether it belongs to the main phase.
std::vector<bool> numbers_in_phase(const Analysis& analysis, const MainPhase& main_phase) {
  const Run& run = analysis.run();
  std::vector<Step> steps = analysis.steps();
  const std::uint32_t process = run.tracks[main_phase.track()].process;
  std::erase_if(steps, [&](const Step& s) { return run.tracks[s.track].process != process; });
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return a.start_ns + a.wall_ns < b.start_ns + b.wall_ns;
  });
  std::vector<bool> in_phase;
  for (const Step& s : steps) in_phase.push_back(main_phase.has(s));
  return in_phase;
}

}  // namespace

std::vector<StepOp> ops_in_steps(const Analysis& analysis, const MainPhase& main_phase) {
  const Run& run = analysis.run();
  std::vector<Interval> recorded;
  for (const HostStep& s : main_phase.steps())
    if (s.has_ops) recorded.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  const auto steps = static_cast<double>(recorded.size());
  const Intervals intervals(std::move(recorded));
  Intervals::Cursor cursor(intervals);
  const SpanColumns& spans = run.tracks[main_phase.track()].spans;
  const TrackOps& ops = analysis.ops().tracks[main_phase.track()];
  const std::vector<std::uint32_t> within = optimizer_spans(spans, ops.tree);
  const Intervals calls = calls_on(spans);
  const LineIds& lines = analysis.lines();
  std::map<Key, OpSums> all;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (spans.kind[row] != SpanKind::op || ops.pass[row] == OpPass::none ||
        !cursor.contains(spans.start[row]))
      continue;
    OpSums& sums =
        all[{spans.name[row], lines[ops.call_site[row]], within[row],
             ops.pass[row] == OpPass::backward, calls.overlaps(spans.start[row], spans.end(row))}];
    ++sums.calls;
    sums.self_ns += static_cast<double>(ops.tree.self_ns[row]);
    sums.total_ns += static_cast<double>(spans.duration[row]);
    sums.each_ns.push_back(static_cast<float>(ops.tree.self_ns[row]));
  }
  std::vector<StepOp> result;
  for (auto& [key, sums] : all) {
    const auto& [name, line, span, backward, in_call] = key;
    result.push_back(
        {std::string(run.strings[name]), std::string(file_at(lines, line).value_or("")),
         line_at(lines, line).value_or(0), std::string(run.strings[span]), backward, in_call,
         sums.calls / steps, sums.self_ns / steps, sums.total_ns / steps,
         static_cast<double>(take_percentile(sums.each_ns, kFast)) * sums.calls / steps});
  }
  return result;
}

std::vector<StepLine> lines_in_steps(const Analysis& analysis, const MainPhase& main_phase) {
  const Run& run = analysis.run();
  const std::vector<bool> in_phase = numbers_in_phase(analysis, main_phase);
  LineSums sums(run);
  sums.add(run.tracks[main_phase.track()].tallies,
           [&](std::uint32_t step) { return step < in_phase.size() && in_phase[step]; });
  return sums.take(static_cast<double>(main_phase.steps().size()));
}

std::vector<StepLine> lines_of_tracks(const Run& run, const std::vector<std::uint32_t>& tracks) {
  LineSums sums(run);
  for (const std::uint32_t track : tracks)
    sums.add(run.tracks[track].tallies, [](std::uint32_t) { return true; });
  return sums.take(1);
}

}  // namespace laptime
