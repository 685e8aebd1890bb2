// Table `ranks`: one row a rank.
#pragma once

#include "tables/run/table.h"
#include "trace/analysis.h"

namespace laptime {

Table ranks_table(const Analysis& analysis);

}  // namespace laptime
