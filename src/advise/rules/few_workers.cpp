#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/loader_workers.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

// Workers that are idle more than this leaves would not benefit from more workers.
constexpr double kBusy = 0.8;

replay::Changes few_workers_in_general() { return replay::workers_change(4); }

std::vector<Finding> find_few_workers(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  const LoaderWorkers& workers = evidence.workers();
  if (!loader || loader->workers == 0 || workers.batches < kFewestEvents || workers.busy < kBusy)
    return {};
  const Part wait = evidence.host(HostCategory::input);
  const double rest = evidence.step_ns() - wait.ns;
  const auto needed = workers_needed(evidence.settings(), workers.batch.ns, rest);
  if (!needed || *needed <= loader->workers) return {};
  return {{loader->file, loader->line, evidence.share(wait.ns), std::nullopt, Confidence::medium,
           fmt::format("{} worker{}, busy {} of the time at {} a batch; waiting for them takes {}.",
                       loader->workers, loader->workers == 1 ? "" : "s",
                       percent(std::min(workers.busy, 1.0)), humane_time(workers.batch.ns),
                       of_a_step(evidence, wait.ns)),
           fmt::format("DataLoader(…, num_workers={})", *needed),
           replay::workers_change(static_cast<unsigned>(*needed))}};
}

}  // namespace

const Rule kFewWorkers{
    "few-workers",
    "Loader workers cannot keep up",
    "workers are busy at least 80 % of the time, steps wait for batches, and "
    "there are CPUs for more workers.",
    "workers are idle (then their number is not the problem, see prefetch), or every CPU "
    "already has a worker (then make batches cheaper: dataset-line, slow-collate).",
    "Raise `num_workers` to the number in the finding.",
    "the run is replayed with that many workers (docs/whatif.md).",
    find_few_workers,
    Meaning::kept,
    few_workers_in_general};

}  // namespace laptime
