// Bytes that each op allocated itself, less those it released. As in torch, inner ops' bytes belong
// to the inner ops.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/memory/memory_history.h"
#include "trace/ops/attribution.h"

namespace laptime {

// By track and row of its spans. Empty for a track without allocations and releases in ops.
std::vector<BulkVector<std::int64_t>> op_self_bytes(const OpAttribution& ops,
                                                    const std::vector<MemoryHistory>& memory);

}  // namespace laptime
