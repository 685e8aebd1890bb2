// What a step takes when loader workers make its batches: max(the rest of the step, making a batch / workers), as a queue that is
// kept filled does, plus taking a batch over; and no less than all work on the CPUs that there are.
#pragma once

#include <cstdint>
#include <optional>

#include "advise/evidence.h"

namespace laptime {

// `batch_ns`: making a batch, by one worker; `rest_ns`: a step but for its wait.
Range step_with_workers(const Evidence& evidence, double batch_ns, double rest_ns, std::int64_t workers);

// Workers enough that none is waited for, within the CPUs; nothing where a second CPU to run them on is not known of.
std::optional<std::int64_t> workers_needed(const Evidence& evidence, double batch_ns, double rest_ns);

}  // namespace laptime
