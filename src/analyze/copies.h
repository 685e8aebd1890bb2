// Table `copies`: what was moved to, from and on the GPUs, copies and fills, by direction, memory and line; rows by falling time.
//
// wait_ns: how long the host stood in the calls. Only copies of pageable memory and those that block have it: an asynchronous
// call takes its few microseconds and waits for nothing.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"

namespace laptime {

Table copies_table(const Analysis& analysis);

}  // namespace laptime
