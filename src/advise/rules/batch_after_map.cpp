#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/dataset_chain.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr double kLeastShare = 0.1;         // of a step, waiting
constexpr double kMostNs = 60'000;          // of an element, all processors together
constexpr std::int64_t kFewestSamples = 8;  // in a batch

using Chain = std::vector<const DatasetCall*>;

// A map over single elements that are batched later. Nothing if its function calls Python.
const DatasetCall* map_before_batch(const Chain& chain) {
  const auto batch = std::find_if(chain.begin(), chain.end(), [](const DatasetCall* call) {
    return call->method == "batch" || call->method == "padded_batch";
  });
  if (batch == chain.end() || (*batch)->method != "batch") return nullptr;
  const auto map = std::find_if(chain.begin(), batch,
                                [](const DatasetCall* call) { return call->method == "map"; });
  return map == batch || (*map)->python ? nullptr : *map;
}

std::vector<Finding> find_batch_after_map(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  const Chain chain = dataset_chain(settings);
  const DatasetCall* const map = map_before_batch(chain);
  if (!map || calls_method(chain, "cache") || evidence.main_phase().steps().size() == 0) return {};
  const auto samples = evidence.main_phase().steps().front().step.samples;
  const Part wait = evidence.host(HostCategory::input);
  if (!samples || *samples < kFewestSamples || evidence.share(wait.ns) < kLeastShare) return {};
  const double element = evidence.step_ns() * static_cast<double>(settings.cpus.value_or(1)) /
                         static_cast<double>(*samples);
  if (element > kMostNs) return {};
  return {
      {map->file, map->line, evidence.share(wait.ns), gain_of_cheaper_input(evidence, {0.1, 0.8}),
       Confidence::low,
       fmt::format("`map` is called for each of {} elements of a batch, at most {} each: mostly "
                   "the cost of a call. Steps wait {}.",
                   *samples, humane_time(element), of_a_step(evidence, wait.ns)),
       ".batch(…) before .map(…), with a function that works on whole batches", std::nullopt,
       std::nullopt, "the processors no longer make so many calls meanwhile"}};
}

}  // namespace

const Rule kBatchAfterMap{
    "batch-after-map",
    "A cheap map runs once for each element",
    "steps wait for input, `map` stands before `batch`, and an element takes at most 60 µs of all "
    "CPUs. So much is mostly the cost of calling the function.",
    "the function calls Python (py-function), elements take longer, the pipeline has a `cache`, or "
    "it pads batches.",
    "Batch first, then map: `.batch(…).map(…)`. Most ops of TensorFlow work on batches as on "
    "elements. Random work must draw numbers for each element of the batch.",
    "10 to 80 % of the wait remains. At best the rest of the step is also faster by the number of "
    "CPUs, at most 4 times, because making batches no longer takes them.",
    find_batch_after_map};

}  // namespace laptime
