// The line engine's counters in nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collect/python/code/code_record.h"
#include "collect/python/thread_slot.h"

namespace laptime::python {

// Line 0 is the whole function, for the time in which it was not timed by line.
struct LineRow {
  std::uint64_t hits = 0, inclusive_ns = 0, exclusive_ns = 0;
};

using LineLabel =
    std::tuple<std::string, std::int32_t, std::string>;  // file, first line, qualified name
using LineRows = std::map<std::int32_t, LineRow>;        // by line

// `slots`: the threads to add up. `event_ns`: what one event adds to the line that it ends; it is
// subtracted, but never below zero. Copies of one function (torch.compile makes them) are one
// entry.
std::map<LineLabel, LineRows> snapshot_lines(const std::vector<const ThreadSlot*>& slots,
                                             double event_ns);

}  // namespace laptime::python
