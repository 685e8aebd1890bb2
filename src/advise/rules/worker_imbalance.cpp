#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr std::size_t kFewestBlocked = 5;  // steps that wait for a batch while another is ready
constexpr double kLeastWaitShare = 0.03;   // of a step

replay::Changes worker_imbalance_in_general() { return replay::any_order_change(); }

std::string difference(const BatchCosts& costs) {
  if (is_one_worker_slower(costs))
    return fmt::format("one worker's batches take {:.1f} × as long as the mean",
                       costs.slowest_worker);
  return fmt::format("a batch takes {}, one in twenty {} or more",
                     humane_time(static_cast<double>(costs.median_ns)),
                     humane_time(static_cast<double>(costs.long_ns)));
}

std::vector<Finding> find_worker_imbalance(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  if (!loader || loader->workers < 2 || !loader->in_order) return {};
  const BatchCosts& costs = evidence.batches();
  if (costs.blocked_steps < kFewestBlocked || evidence.share(costs.blocked.ns) < kLeastWaitShare)
    return {};
  // More workers, or a longer queue, remove these waits.
  if (!kFewWorkers.find(evidence).empty() || !kPrefetch.find(evidence).empty()) return {};
  return {
      {loader->file, loader->line, evidence.share(costs.blocked.ns), std::nullopt,
       Confidence::medium,
       fmt::format("{} steps wait for a batch while later ones are ready, {}: {}.",
                   costs.blocked_steps, of_a_step(evidence, costs.blocked.ns), difference(costs)),
       "DataLoader(…, in_order=False) takes batches as they come (torch 2.7 or newer); or batches "
       "of equal cost: samples sorted by size, the slow part done once before training",
       worker_imbalance_in_general()}};
}

}  // namespace

const Rule kWorkerImbalance{
    "worker-imbalance",
    "Steps wait for one worker's batch while others are ready",
    "a loader with at least two workers returns batches in order, and in at least 5 steps the "
    "program waits for a batch although a later one is ready. The cost of batches differs "
    "between workers, or from one batch to the next.",
    "more workers (few-workers) or a longer queue (prefetch) would remove the waits, the loader "
    "has `in_order=False`, or no later batch is ready.",
    "Use `DataLoader(…, in_order=False)`, which torch has since 2.7. The order of batches then "
    "differs from run to run. Or make batches of equal cost: sort or bucket samples by size, or "
    "decode large ones once before training.",
    "the run is replayed with batches taken as soon as they are made, each assigned to a worker "
    "with room (docs/whatif.md).",
    find_worker_imbalance,
    Meaning::kept,
    worker_imbalance_in_general};

}  // namespace laptime
