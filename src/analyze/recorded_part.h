// Which steps the ops and GPU work of a run are from, for titles of tables.
#pragma once

#include <string>

#include "analyze/analysis.h"

namespace laptime {

// ", from 12 of 300 steps"; empty where no step says whether its ops were recorded.
std::string from_recorded(const Analysis& analysis);

}  // namespace laptime
