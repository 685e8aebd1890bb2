// Table `streams`: what each stream of each GPU did. busy_ns counts overlapping work once;
// busy_share is of the time from the stream's first work to its last, without what was not
// recorded.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table streams_table(const Analysis& analysis);
extern const TableDefinition kStreamsTable;

}  // namespace laptime
