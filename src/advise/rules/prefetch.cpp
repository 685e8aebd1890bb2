#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kBusy = 0.8;  // above, workers have no time to fill a longer queue
// A queue that is empty in most steps is not too short, but filled too slowly.
constexpr double kMostSteps = 0.5;
constexpr double kLongWait = 0.05;  // of a step, for a step that waited
constexpr std::int64_t kLongQueue = 8;

// The waits of the steps that waited, and their share of all steps.
std::vector<Finding> find_prefetch(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  const LoaderWorkers& workers = evidence.workers();
  if (!loader || loader->workers == 0 || workers.batches < kFewestEvents || workers.busy >= kBusy ||
      loader->prefetch.value_or(2) >= kLongQueue)
    return {};
  if (is_one_worker_slower(evidence.batches())) return {};
  const auto& steps = evidence.main_phase().steps();
  std::size_t waited = 0;
  for (const HostStep& s : steps)
    waited += static_cast<double>(s.exposed[static_cast<std::size_t>(HostCategory::input)]) >
              kLongWait * evidence.step_ns();
  if (waited < kFewestEvents ||
      static_cast<double>(waited) > kMostSteps * static_cast<double>(steps.size()))
    return {};
  const Part wait = evidence.host(HostCategory::input);
  return {{loader->file, loader->line, evidence.share(wait.ns),
           predict(evidence.step_ns(), wait, {0.3, 0.9}), Confidence::low,
           fmt::format("{} of {} steps find no batch ready, though the {} workers work only {} of "
                       "the time: {}.",
                       waited, steps.size(), loader->workers, percent(workers.busy),
                       of_a_step(evidence, wait.ns)),
           fmt::format("DataLoader(…, prefetch_factor={})",
                       std::max<std::int64_t>(4, 2 * loader->prefetch.value_or(2)))}};
}

}  // namespace

const Rule kPrefetch{
    "prefetch",
    "The queue of batches is too short for uneven batches",
    "workers are idle more than 20 % of the time. Yet some steps, at most half, wait for a "
    "batch for more than 5 % of a step. Batches differ, and the queue is too short for the slow "
    "ones.",
    "most steps wait (few-workers, dataset-line), one worker's batches take longer than the "
    "others' (worker-imbalance), or `prefetch_factor` is 8 or more.",
    "Use `DataLoader(…, prefetch_factor=4)`. Each worker then keeps that many batches ready, "
    "which takes memory.",
    "a tenth to seven tenths of the wait is saved.",
    find_prefetch};

}  // namespace laptime
