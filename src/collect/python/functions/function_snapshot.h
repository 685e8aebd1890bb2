// The function engine's counters, merged by label in the form of pstats.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collect/python/thread_slot.h"

namespace laptime::python {

using FunctionLabel =
    std::tuple<std::string, std::int32_t, std::string>;  // file, line, name; "~", 0 for C functions

struct FunctionTotals {
  std::uint64_t calls = 0, primitive_calls = 0, own_ticks = 0, cumulative_ticks = 0;
  void add(const CallCounter& counter);
};

struct FunctionRow {
  FunctionTotals totals;
  std::map<FunctionLabel, FunctionTotals> callers;
};

using FunctionRows = std::map<FunctionLabel, FunctionRow>;

FunctionRows snapshot_functions(const std::vector<const ThreadSlot*>& slots);
FunctionRows snapshot_functions(const CallLayer& layer);

}  // namespace laptime::python
