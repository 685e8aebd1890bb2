#include "tables/steps/pipeline.h"

#include <algorithm>

#include "trace/analysis.h"
#include "trace/input/pipeline_stages.h"
#include "trace/steps/recorded_part.h"
#include "trace/time/host_time.h"

namespace laptime {

namespace {

constexpr double kWaitsForInput = 0.05;  // of the time of all steps that count

// Whether the steps of a process wait for input.
bool waits_for_input(const Analysis& analysis, std::uint32_t process) {
  double waited = 0, wall = 0;
  for (const HostStep& s : analysis.host_steps()) {
    if (!s.step.counts || analysis.run().tracks[s.step.track].process != process) continue;
    waited += static_cast<double>(s.exposed[static_cast<std::size_t>(HostCategory::input)]);
    wall += static_cast<double>(s.step.wall_ns);
  }
  return wall > 0 && waited >= kWaitsForInput * wall;
}

double ns_in_turn(const PipelineStage& stage) {
  return static_cast<double>(stage.self_ns) / static_cast<double>(stage.parallelism);
}

struct PipelineRow {
  const PipelineStage& stage;
  std::int64_t self_of_all;  // ns
  bool limits;
};

constexpr ColumnOf<PipelineRow> kPipelineColumns[] = {
    {"depth", "How many stages are around it.", [](auto& r) { return r.stage.depth; }},
    {"stage", "The stage, as tf.data ran it.", [](auto& r) { return r.stage.name; }},
    {"calls", Unit::count, "How many elements it made.", [](auto& r) { return r.stage.calls; }},
    {"total_ns", Unit::ns, "How long that took, with the stages inside on the same thread.",
     [](auto& r) { return r.stage.total_ns; }},
    {"self_ns", Unit::ns, "Its own time: without these stages, with its waits for other threads.",
     [](auto& r) { return r.stage.self_ns; }},
    {"share", Unit::share, "`self_ns` against that of all stages of the process.",
     [](auto& r) { return ratio(r.stage.self_ns, r.self_of_all); }},
    {"elements_per_s", "Elements a second while it is called: `calls` by `total_ns`.",
     [](auto& r) { return ratio(1e9 * static_cast<double>(r.stage.calls), r.stage.total_ns); }},
    {"buffered", "The mean number of elements in its buffer.",
     [](auto& r) { return ratio(r.stage.buffered, r.stage.buffered_calls); }},
    {"parallelism", Unit::count, "How many elements it makes at a time, at most.",
     [](auto& r) { return r.stage.parallelism; }},
    {"background", "`yes`: a stage around it works ahead, so it runs beside the training.",
     [](auto& r) { return r.stage.background ? "yes" : "no"; }},
    {"limits", "`yes`: the steps wait for input, and this stage needs the most time.",
     [](auto& r) { return known_if(r.limits, "yes"); }},
    {"pipeline", "Its long name.", [](auto& r) { return r.stage.pipeline; }}};
constexpr TableOf<PipelineRow> kPipeline{"pipeline", kPipelineColumns};

// `first` to `last`: the stages of one process.
template <typename Iterator>
void add_rows(const Analysis& analysis, Iterator first, Iterator last, Table& table) {
  std::int64_t self_of_all = 0;
  const PipelineStage* slowest = nullptr;
  for (Iterator stage = first; stage != last; ++stage) {
    self_of_all += stage->self_ns;
    if (!stage->only_waits() && (!slowest || ns_in_turn(*stage) > ns_in_turn(*slowest)))
      slowest = &*stage;
  }
  const bool any_limits = waits_for_input(analysis, first->process);
  for (Iterator stage = first; stage != last; ++stage)
    kPipeline.add(table, {*stage, self_of_all, any_limits && &*stage == slowest});
}

}  // namespace

Table pipeline_table(const Analysis& analysis) {
  Table table = kPipeline.empty("Input pipeline" + from_recorded(analysis.run(), analysis.steps()));
  const std::vector<PipelineStage> stages = find_pipeline_stages(analysis.run());
  for (auto first = stages.begin(); first != stages.end();) {
    const auto last = std::find_if(first, stages.end(), [&](const PipelineStage& stage) {
      return stage.process != first->process;
    });
    add_rows(analysis, first, last, table);
    first = last;
  }
  return table;
}

constinit const TableDefinition kPipelineTable =
    define_table<kPipeline>("stages of a tf.data pipeline, and the one that limits", R"(
One row a stage, as a tree: a stage stands below the one that takes its elements. TensorFlow
rewrites pipelines: it may fuse `map` and `batch` into `MapAndBatch`, and add `Prefetch`. The
table has the pipeline that ran. Stages below one that works ahead (`Prefetch`, `ParallelMap`,
`MapAndBatch` …) run beside the training: only what reaches the outermost stage too late is a
wait. The stage that limits is the one with the largest `self_ns` by `parallelism`, other than
`Prefetch`, if steps wait for input in 5 % of their time or more.)",
                            pipeline_table);

}  // namespace laptime
