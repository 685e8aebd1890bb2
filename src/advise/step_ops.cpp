#include "advise/step_ops.h"

#include <map>
#include <tuple>

#include "base/percentile.h"
#include "tables/code/line_columns.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/ops/attribution.h"
#include "trace/run/stretches.h"

namespace laptime {

namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t,
                       bool>;  // name, line, optimizer span's name, backward

constexpr double kFast = 0.1;

struct OpSums {
  double calls = 0, self_ns = 0, total_ns = 0;
  std::vector<float> each_ns;  // of itself
};

// By row: the name of the optimizer span that it lies in, 0 none.
std::vector<std::uint32_t> optimizer_spans(const SpanColumns& spans, const OpTree& tree) {
  std::vector<std::uint32_t> within(tree.size());
  tree.outside_in([&](std::uint32_t row) {
    const std::uint32_t parent = tree.parent[row];
    if (parent != kNoRow)
      within[row] = spans.kind[parent] == SpanKind::optimizer ? spans.name[parent] : within[parent];
  });
  return within;
}

}  // namespace

std::vector<StepOp> ops_in_steps(const Analysis& analysis, const Lap& lap) {
  const Run& run = analysis.run();
  std::vector<Stretch> recorded;
  for (const HostStep& s : lap.steps())
    if (s.has_ops) recorded.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  const auto steps = static_cast<double>(recorded.size());
  const Stretches stretches(std::move(recorded));
  Stretches::Cursor cursor(stretches);
  const SpanColumns& spans = run.tracks[lap.track()].spans;
  const TrackOps& ops = analysis.ops().tracks[lap.track()];
  const std::vector<std::uint32_t> within = optimizer_spans(spans, ops.tree);
  const LineIds& lines = analysis.lines();
  std::map<Key, OpSums> all;
  for (std::uint32_t row = 0; row < ops.size(); ++row) {
    if (spans.kind[row] != SpanKind::op || ops.pass[row] == OpPass::none ||
        !cursor.contains(spans.start[row]))
      continue;
    OpSums& sums = all[{spans.name[row], lines[ops.place[row]], within[row],
                        ops.pass[row] == OpPass::backward}];
    ++sums.calls;
    sums.self_ns += static_cast<double>(ops.tree.self_ns[row]);
    sums.total_ns += static_cast<double>(spans.duration[row]);
    sums.each_ns.push_back(static_cast<float>(ops.tree.self_ns[row]));
  }
  std::vector<StepOp> result;
  for (auto& [key, sums] : all) {
    const auto& [name, line, span, backward] = key;
    result.push_back(
        {std::string(run.strings[name]), std::string(file_at(lines, line).value_or("")),
         line_at(lines, line).value_or(0), std::string(run.strings[span]), backward,
         sums.calls / steps, sums.self_ns / steps, sums.total_ns / steps,
         static_cast<double>(take_percentile(sums.each_ns, kFast)) * sums.calls / steps});
  }
  return result;
}

}  // namespace laptime
