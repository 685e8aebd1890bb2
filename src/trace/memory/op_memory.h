// The bytes that each op allocated itself, less those that it released, as torch counts them: what
// ops inside it did is theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/memory/memory_history.h"
#include "trace/ops/attribution.h"

namespace laptime {

// By track and row of its spans; empty for a track on which no op allocated or released anything.
std::vector<BulkVector<std::int64_t>> op_self_bytes(const OpAttribution& ops,
                                                    const std::vector<MemoryHistory>& memory);

}  // namespace laptime
