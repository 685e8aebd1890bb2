// Table `losses`: what was dropped, cut, estimated or could not be read, by name; the gravest first.
#pragma once

#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

Table losses_table(const Run& run);

}  // namespace laptime
