#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/dataset_chain.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kOverlapped = 0.3;  // of the wait, at least

// The outermost stage that makes batches.
const PipelineStage* outermost(const std::vector<PipelineStage>& stages) {
  const auto it = std::find_if(stages.begin(), stages.end(),
                               [](const PipelineStage& stage) { return stage.name != "Root"; });
  return it == stages.end() ? nullptr : &*it;
}

bool is_ahead(const std::vector<PipelineStage>& stages) {
  return std::any_of(stages.begin(), stages.end(),
                     [](const PipelineStage& stage) { return stage.background; });
}

std::vector<Finding> find_tfdata_prefetch(const Evidence& evidence) {
  const std::vector<PipelineStage> stages = stages_of_process(evidence);
  const PipelineStage* const last = outermost(stages);
  if (!last || last->calls < kFewestRecordedSteps || is_ahead(stages) ||
      evidence.settings().cpus.value_or(1) < 2)
    return {};
  const std::vector<const DatasetCall*> chain = dataset_chain(evidence.settings());
  const Part wait = evidence.host(HostCategory::input);
  const double step = evidence.step_ns(), rest = step - wait.ns;
  return {{chain.empty() ? "" : chain.back()->file, chain.empty() ? 0 : chain.back()->line,
           evidence.share(wait.ns),
           predict(step, Range{std::max(rest, wait.ns), rest + (1 - kOverlapped) * wait.ns}),
           Confidence::medium,
           fmt::format("No stage of the tf.data pipeline works ahead: each step waits {} while its "
                       "batch is made.",
                       of_a_step(evidence, wait.ns)),
           ".prefetch(tf.data.AUTOTUNE) as the last stage"}};
}

}  // namespace

const Rule kTfdataPrefetch{
    "tfdata-prefetch",
    "A tf.data pipeline makes batches while the step waits",
    "steps wait for input, and no stage that ran works ahead (`Prefetch`, `ParallelMap`, "
    "`MapAndBatch`).",
    "TensorFlow added a `Prefetch` of its own accord, or there is one CPU.",
    "End the pipeline with `.prefetch(tf.data.AUTOTUNE)`.",
    "batches are made beside the rest of the step. At best a step takes as long as the longer of "
    "the two. At worst 70 % of the wait remains, because the ops need the CPUs.",
    find_tfdata_prefetch};

}  // namespace laptime
