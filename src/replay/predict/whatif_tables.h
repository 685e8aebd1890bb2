// Predictions as tables.
#pragma once

#include <vector>

#include "replay/predict/prediction.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime::replay {

// Tables `whatif` (one row a phase), `whatif_breakdown` (where its step goes, before and after) and
// `whatif_next` (what the critical path of a median step consists of after the changes), of all
// phases.
std::vector<Table> whatif_tables(const Analysis& analysis, const Prediction& prediction);
extern const TableDefinition kWhatifTable;
extern const TableDefinition kWhatifBreakdownTable;
extern const TableDefinition kWhatifNextTable;

}  // namespace laptime::replay
