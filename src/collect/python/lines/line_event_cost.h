// The cost of line events in a code object, as a multiple of the cost in a short function.
//
// CPython 3.12 and 3.13 store the line of an instruction in one byte, as the distance from an
// estimate. If the distance does not fit, each line event decodes the code object's line table from
// its start. Consequence: an event near the end of a function of 1,600 lines costs about a hundred
// times as much as a usual one.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "collect/python/code/code_record.h"

namespace laptime::python {

struct LineEventCosts {
  std::vector<std::uint16_t>
      by_slot;                 // by line slot, as multiples of a usual event; empty: all are usual
  std::uint64_t one_pass = 0;  // cost, in usual events, of a call that runs each line once
};

// `usual_ticks`: the cost of a usual event. Takes at most as long as a few events of this code.
// Does not run the code.
LineEventCosts line_event_costs(const CodeRecord& record, double usual_ticks);

}  // namespace laptime::python
