#include "advise/loader_model.h"

#include <algorithm>
#include <cmath>

namespace laptime {

namespace {

constexpr double kFilled = 0.9;  // of the rest of a step, for a queue that does not run dry

}  // namespace

std::optional<std::int64_t> workers_needed(const Evidence& evidence, double batch_ns,
                                           double rest_ns) {
  const std::int64_t cpus = evidence.settings().cpus.value_or(1);
  if (cpus < 2) return std::nullopt;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(batch_ns / std::max(kFilled * rest_ns, 1.0))), 1, cpus);
}

}  // namespace laptime
