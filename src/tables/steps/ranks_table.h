// Table `ranks`: one row a rank.
#pragma once

#include "trace/analysis.h"
#include "tables/run/table.h"

namespace laptime {

Table ranks_table(const Analysis& analysis);

}  // namespace laptime
