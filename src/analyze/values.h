// Table `values`: the numbers that a program recorded over time, by name and thread. Numbers that are not finite count,
// and are left out of min, max and mean.
#pragma once

#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

Table values_table(const Run& run);

}  // namespace laptime
