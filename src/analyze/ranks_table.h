// Table `ranks`: one row a rank.
#pragma once

#include "analyze/analysis.h"
#include "analyze/table.h"

namespace laptime {

Table ranks_table(const Analysis& analysis);

}  // namespace laptime
