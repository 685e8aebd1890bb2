// What a line event costs in a code object, as a multiple of the cost in a short function.
//
// On CPython 3.12 and 3.13 the interpreter stores the line of an instruction in one byte, as the
// distance from an estimate. Where the distance does not fit, each line event decodes the code
// object's line table from its start. Consequence: an event near the end of a function of 1,600
// lines costs some hundred times as much as a usual one.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "collect/python/code/code_record.h"

namespace laptime::python {

struct LineEventCosts {
  std::vector<std::uint16_t>
      by_slot;                 // multiples of a usual event by line slot; empty: all are usual
  std::uint64_t one_pass = 0;  // usual events that a call costs which runs each line once
};

// `usual_ticks`: what a usual event costs. May take as long as a few events of this code; decided
// without running it.
LineEventCosts line_event_costs(const CodeRecord& record, double usual_ticks);

}  // namespace laptime::python
