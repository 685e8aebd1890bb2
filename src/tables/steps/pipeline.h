// Table `pipeline`: the stages of tf.data pipelines, and the one that limits.
#pragma once

#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

Table pipeline_table(const Analysis& analysis);
extern const TableDefinition kPipelineTable;

}  // namespace laptime
