#include <fmt/format.h>

#include "advise/evidence/loader_workers.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kNoneLeft = 0.5;  // of a processor: too little for a worker
constexpr double kComputes = 0.5;  // of making a batch, if it does more than wait

// A worker that computes takes a processor from ops with several threads, whose threads then wait
// for each other.
bool all_in_use(const Settings& settings) {
  return settings.cpus &&
         settings.step_cpus.value_or(0) > static_cast<double>(*settings.cpus) - kNoneLeft &&
         settings.step_cpus > 1 && settings.input_cpu.value_or(1) > kComputes;
}

replay::Changes no_workers_in_general() { return replay::workers_change(2); }

std::vector<Finding> find_no_workers(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  if (!loader || loader->workers > 0 || all_in_use(evidence.settings())) return {};
  const Part wait = evidence.host(HostCategory::input);
  const double rest = evidence.step_ns() - wait.ns;
  const auto workers = workers_needed(evidence.settings(), wait.ns, rest);
  if (!workers) return {};
  return {{loader->file, loader->line, evidence.share(wait.ns), std::nullopt, Confidence::medium,
           fmt::format("The training process makes every batch itself (num_workers=0) and nothing "
                       "else meanwhile: {}.",
                       of_a_step(evidence, wait.ns)),
           fmt::format("DataLoader(…, num_workers={}, persistent_workers=True{})", *workers,
                       evidence.settings().on_gpu() ? ", pin_memory=True" : ""),
           replay::workers_change(static_cast<unsigned>(*workers))}};
}

}  // namespace

const Rule kNoWorkers{
    "no-workers",
    "Batches are made by the training process itself",
    "the training loader has `num_workers=0`, and steps wait for their batch.",
    "there is only one CPU, the ops of a step already use all CPUs while making a batch "
    "computes, or the wait is so short that handing over batches would cost as much.",
    "Give the loader workers: `DataLoader(…, num_workers=2, persistent_workers=True)`. If "
    "processes are spawned, code that starts workers must be inside `if __name__ == "
    "\"__main__\":`. Data in memory needs no workers: see in-memory-dataset.",
    "the run is replayed with that many workers (docs/whatif.md). A step takes the longer of "
    "two times: its remaining time, and the time to make a batch divided by the workers. It "
    "takes no less than all computing needs on the free processors.",
    find_no_workers,
    Meaning::kept,
    no_workers_in_general};

}  // namespace laptime
