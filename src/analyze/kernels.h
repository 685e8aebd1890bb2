// Table `kernels`: what the GPUs computed, by kernel, op and line; rows by falling time. Grid, block, registers and shared memory are those
// of all the row's calls, unknown where these differ; occupancy is an estimate from them (occupancy.h), the mean over calls.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"

namespace laptime {

Table kernels_table(const Analysis& analysis);

}  // namespace laptime
