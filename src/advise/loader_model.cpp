#include "advise/loader_model.h"

#include <algorithm>
#include <cmath>

namespace laptime {

namespace {

// To take a batch over from a worker: waking up, unpickling, mapping its memory.
constexpr Range kTakeOver{0.1e6, 0.4e6};
// Workers are slower than the same code was alone: caches, memory bandwidth, pickling.
constexpr double kSlowerTogether = 1.25;
constexpr double kFilled = 0.9;  // of the rest of a step, for a queue that does not run dry

}  // namespace

Range step_with_workers(const Evidence& evidence, double batch_ns, double rest_ns, std::int64_t workers) {
  const Settings& settings = evidence.settings();
  const auto cpus = static_cast<double>(settings.cpus.value_or(workers + 1));
  const auto count = static_cast<double>(workers);
  const double best = std::max({rest_ns + kTakeOver.low, batch_ns / count, (batch_ns + rest_ns) / cpus});
  double worst = std::max(rest_ns + kTakeOver.high, kSlowerTogether * batch_ns / count);
  // A step that computes on the CPUs itself gives the workers room only where its threads leave some.
  if (!settings.on_gpu()) worst = std::max(worst, (rest_ns * std::min(cpus, static_cast<double>(settings.threads.value_or(1))) + batch_ns) / cpus);
  return {best, worst};
}

std::optional<std::int64_t> workers_needed(const Evidence& evidence, double batch_ns, double rest_ns) {
  const std::int64_t cpus = evidence.settings().cpus.value_or(1);
  if (cpus < 2) return std::nullopt;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(batch_ns / std::max(kFilled * rest_ns, 1.0))), 1, cpus);
}

}  // namespace laptime
