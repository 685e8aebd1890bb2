// How many workers a loader needs to keep up with steps.
#pragma once

#include <cstdint>
#include <optional>

#include "advise/evidence.h"

namespace laptime {

// `batch_ns`: making a batch, by one worker; `rest_ns`: a step but for its wait. Workers enough
// that none is waited for, within the CPUs; nothing where a second CPU to run them on is not known
// of.
std::optional<std::int64_t> workers_needed(const Evidence& evidence, double batch_ns,
                                           double rest_ns);

}  // namespace laptime
