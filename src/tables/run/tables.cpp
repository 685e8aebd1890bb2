#include "tables/run/tables.h"

#include <fmt/format.h>

#include "base/parallel.h"
#include "tables/code/calltree.h"
#include "tables/code/compile.h"
#include "tables/code/functions.h"
#include "tables/code/lines.h"
#include "tables/code/package_lines.h"
#include "tables/code/step_lines.h"
#include "tables/gpu/copies.h"
#include "tables/gpu/kernels.h"
#include "tables/gpu/launch_queue.h"
#include "tables/gpu/streams.h"
#include "tables/gpu/syncs.h"
#include "tables/memory/memory.h"
#include "tables/memory/memory_curve.h"
#include "tables/memory/memory_devices.h"
#include "tables/memory/memory_growth.h"
#include "tables/memory/memory_steps.h"
#include "tables/ops/modules.h"
#include "tables/ops/ops.h"
#include "tables/run/run_facts.h"
#include "tables/run/scopes.h"
#include "tables/run/setting_facts.h"
#include "tables/run/values.h"
#include "tables/run/warnings.h"
#include "tables/steps/breakdown.h"
#include "tables/steps/breakdown_steps.h"
#include "tables/steps/device_steps.h"
#include "tables/steps/input.h"
#include "tables/steps/phases.h"
#include "tables/steps/pipeline.h"
#include "tables/steps/ranks_table.h"
#include "tables/steps/slow_steps.h"
#include "tables/steps/steps_table.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr const TableDefinition* kTables[] = {
    &kRunTable,           &kStepSummaryTable,    &kStepsTable,
    &kBreakdownTable,     &kBreakdownStepsTable, &kBreakdownTimeTable,
    &kSlowStepsTable,     &kStepLinesTable,      &kPackageLinesTable,
    &kPhasesTable,        &kDeviceStepsTable,    &kRanksTable,
    &kScopesTable,        &kLinesTable,          &kFunctionsTable,
    &kKernelsTable,       &kCopiesTable,         &kSyncsTable,
    &kStreamsTable,       &kLaunchQueueTable,    &kCalltreeTable,
    &kOpsTable,           &kModulesTable,        &kMemoryTable,
    &kMemoryDevicesTable, &kMemoryStepsTable,    &kMemoryCurveTable,
    &kMemoryGrowthTable,  &kInputTable,          &kPipelineTable,
    &kCompileTable,       &kSettingsTable,       &kValuesTable,
    &kWarningsTable};

}  // namespace

TableList all_tables() { return kTables; }

Result<const TableDefinition*> find_table(std::string_view name, TableList among) {
  std::string names;
  for (const TableDefinition* table : among) {
    if (name == table->name) return table;
    names += (names.empty() ? "" : ", ") + std::string(table->name);
  }
  return fail(ErrorKind::usage,
              fmt::format("there is no table '{}'; the tables are {}", name, names));
}
Result<MakeTable> find_grouping(const TableDefinition& table, std::string_view name) {
  std::string names;
  for (const Grouping& grouping : table.groupings) {
    if (name == grouping.name) return grouping.make;
    names += (names.empty() ? "" : ", ") + std::string(grouping.name);
  }
  if (names.empty())
    return fail(ErrorKind::usage,
                fmt::format("table {} has one grouping only: leave out --by", table.name));
  return fail(ErrorKind::usage, fmt::format("table {} has no grouping '{}'; its groupings are {}",
                                            table.name, name, names));
}

std::vector<Table> make_tables(const Analysis& analysis, std::span<const MakeTable> makers) {
  std::vector<Table> tables(makers.size());
  parallel_for(makers.size(), [&](std::size_t i) { tables[i] = makers[i](analysis); });
  return tables;
}

}  // namespace laptime
