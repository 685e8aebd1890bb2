#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

std::vector<Finding> find_too_many_threads(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (settings.on_gpu() || settings.optimizers.empty() || !evidence.knows_ops() || !settings.threads || !settings.cpus || *settings.threads <= *settings.cpus) return {};
  double ns = evidence.host(HostCategory::optimizer).ns;
  for (const HostCategory category : {HostCategory::forward, HostCategory::backward, HostCategory::memory}) ns += evidence.host(category).ns;
  return {{"", 0, evidence.share(ns), predict(evidence.step_ns(), Part{ns, 0}, {0.3, 0.95}), Confidence::low,
           fmt::format("torch computes with {} threads on {} CPU{}, so that threads wait for others that do not run; ops are {}.", *settings.threads, *settings.cpus,
                       *settings.cpus == 1 ? "" : "s", of_a_step(evidence, ns)),
           fmt::format("torch.set_num_threads({0}), or OMP_NUM_THREADS={0}", *settings.cpus)}};
}

}  // namespace

const Rule kTooManyThreads{
    "too-many-threads",
    "More threads than CPUs",
    "a program that trains on the CPU has more of torch's threads than CPUs that it may use, by affinity or by a container's quota.",
    "threads fit, or a GPU computes.",
    "`torch.set_num_threads(N)` with the number of CPUs, or `OMP_NUM_THREADS=N` in the environment.",
    "between 30 and 95 % of the time in ops is left: how much depends on what else runs, so the interval is wide.",
    find_too_many_threads};

}  // namespace laptime
