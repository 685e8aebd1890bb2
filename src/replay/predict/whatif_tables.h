// Predictions as tables.
#pragma once

#include <vector>

#include "replay/predict/prediction.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime::replay {

// Tables `whatif` (one row for each phase), `whatif_breakdown` (its step by category, before and
// after) and `whatif_next` (the critical path of a median step after the changes).
std::vector<Table> whatif_tables(const Analysis& analysis, const Prediction& prediction);
extern const TableDefinition kWhatifTable;
extern const TableDefinition kWhatifBreakdownTable;
extern const TableDefinition kWhatifNextTable;

}  // namespace laptime::replay
