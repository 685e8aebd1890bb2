// Table `streams`: the work of each stream of each GPU. busy_ns counts overlapping work once.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table streams_table(const Analysis& analysis);
extern const TableDefinition kStreamsTable;

}  // namespace laptime
