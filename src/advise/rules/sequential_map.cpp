#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/dataset_chain.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kLeastOfInput = 0.25;  // of the time to make a batch
constexpr std::size_t kOneStage = 1;

bool is_sequential(const PipelineStage& stage) {
  return stage.name == "Map" || stage.name.starts_with("Interleave");
}

// The call whose stage it is. Null if there are several.
const DatasetCall* call_of(const PipelineStage& stage, const std::vector<DatasetCall>& calls) {
  const std::string_view method = stage.name == "Map" ? "map" : "interleave";
  const auto is_it = [&](const DatasetCall& call) {
    return call.method == method && !call.parallel;
  };
  return std::count_if(calls.begin(), calls.end(), is_it) == kOneStage
             ? &*std::find_if(calls.begin(), calls.end(), is_it)
             : nullptr;
}

std::vector<Finding> find_sequential_map(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  const double cpus = static_cast<double>(settings.cpus.value_or(1));
  const std::vector<PipelineStage> stages = stages_of_process(evidence);
  if (cpus < 2 || stages.empty() || stages.front().calls < kFewestRecordedSteps) return {};
  const auto slowest = std::max_element(
      stages.begin(), stages.end(), [](const PipelineStage& a, const PipelineStage& b) {
        return (a.only_waits() ? 0 : a.self_ns) < (b.only_waits() ? 0 : b.self_ns);
      });
  if (!is_sequential(*slowest)) return {};
  const Part wait = evidence.host(HostCategory::input);
  const double ns =
      static_cast<double>(slowest->self_ns) / static_cast<double>(stages.front().calls);
  if (ns < kLeastOfInput * wait.ns) return {};
  const double step = evidence.step_ns(), rest = step - wait.ns,
               others = slowest->background ? 0 : std::max(0.0, wait.ns - ns);
  // At best the rest of a step uses one processor, at worst all of them.
  const double best = std::max(rest, (rest + ns) / cpus) + others,
               worst = std::min(step, rest + others + ns / cpus);
  const DatasetCall* const call = call_of(*slowest, settings.datasets);
  return {{call ? call->file : "", call ? call->line : 0, evidence.share(wait.ns),
           predict(step, Range{std::min(best, worst), worst}), Confidence::medium,
           fmt::format("`{}` makes one element at a time: steps wait {} for batches.",
                       slowest->name, of_a_step(evidence, wait.ns)),
           "num_parallel_calls=tf.data.AUTOTUNE"}};
}

}  // namespace

const Rule kSequentialMap{
    "sequential-map",
    "A tf.data stage makes one element at a time",
    "steps wait for input, and a `map` or `interleave` that ran on one thread takes most time of "
    "the pipeline's stages.",
    "TensorFlow ran the stage in parallel, as it mostly does with `map` of its own accord, or "
    "there is one CPU.",
    "Give it `num_parallel_calls=tf.data.AUTOTUNE`. Order stays the same, unless "
    "`deterministic=False` is set.",
    "the stage's time is divided by the CPUs. At best it runs beside the rest of the step, which "
    "then uses one CPU. At worst the rest of the step needs all CPUs.",
    find_sequential_map};

}  // namespace laptime
