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
#include "tables/run/losses.h"
#include "tables/run/run_facts.h"
#include "tables/run/scopes.h"
#include "tables/run/setting_facts.h"
#include "tables/run/values.h"
#include "tables/steps/breakdown.h"
#include "tables/steps/breakdown_steps.h"
#include "tables/steps/device_steps.h"
#include "tables/steps/input.h"
#include "tables/steps/phases.h"
#include "tables/steps/ranks_table.h"
#include "tables/steps/slow_steps.h"
#include "tables/steps/steps_table.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr Grouping kOpGroupings[] = {{"name", ops_table<OpGrouping::name>},
                                     {"shape", ops_table<OpGrouping::shape>},
                                     {"line", ops_table<OpGrouping::line>},
                                     {"module", ops_table<OpGrouping::module>},
                                     {"stack", ops_table<OpGrouping::stack>}};

constexpr Grouping kLineGroupings[] = {{"line", lines_table}, {"thread", lines_by_thread_table}};
constexpr Grouping kFunctionGroupings[] = {{"function", functions_table},
                                           {"thread", functions_by_thread_table}};
constexpr Grouping kKernelGroupings[] = {{"line", kernels_table<KernelGrouping::line>},
                                         {"device", kernels_table<KernelGrouping::device>},
                                         {"module", kernels_table<KernelGrouping::module>}};
constexpr Grouping kCopyGroupings[] = {{"line", copies_table<CopyGrouping::line>},
                                       {"device", copies_table<CopyGrouping::device>}};
constexpr Grouping kMemoryGroupings[] = {{"line", memory_table<MemoryGrouping::line>},
                                         {"category", memory_table<MemoryGrouping::category>},
                                         {"op", memory_table<MemoryGrouping::op>},
                                         {"module", memory_table<MemoryGrouping::module>}};

constexpr TableDefinition kTables[] = {
    {"run", "what was run, how it ended, how much was recorded and what that cost", run_table},
    {"step_summary", "step times and rates", step_summary_table},
    {"steps", "one row a step", steps_table},
    {"breakdown", "where a mean step goes", breakdown_table},
    {"breakdown_steps", "where each step went", breakdown_steps_table},
    {"breakdown_time", "where steps went over time", breakdown_time_table},
    {"slow_steps", "why slow steps are slow: against median ones, by category and line",
     slow_steps_table},
    {kStepLinesTable, "which lines a step consists of", step_lines_table},
    {kPackageLinesTable,
     "which lines of installed packages a step's ops come from, below which line of the program",
     package_lines_table},
    {"phases",
     "what the whole run's time went to: steps of each phase, checkpoints, what lies between",
     phases_table},
    {"device_steps", "where each step went on each GPU", device_steps_table},
    {"ranks", "processes that train together: own work, waits for each other, which is slowest",
     ranks_table},
    {"scopes", "where the time went, by name and thread", scopes_table},
    {"lines", "time by source line", lines_table, kLineGroupings},
    {"functions", "calls and time by function, as cProfile counts them", functions_table,
     kFunctionGroupings},
    {"kernels", "what the GPUs computed, by kernel and line", kernels_table<KernelGrouping::line>,
     kKernelGroupings},
    {"copies", "what was moved to, from and on the GPUs", copies_table<CopyGrouping::line>,
     kCopyGroupings},
    {"syncs", "where the host waited for a GPU", syncs_table},
    {"streams", "what each stream of each GPU did", streams_table},
    {"launch_queue", "how far the host launches ahead of each GPU, by step", launch_queue_table},
    {"calltree", "functions below their callers", calltree_table},
    {"ops", "calls and time of the framework's ops, as torch counts them",
     ops_table<OpGrouping::name>, kOpGroupings},
    {"modules", "time of ops by module, forward and backward", modules_table},
    {"memory", "what was alive when most memory was", memory_table<MemoryGrouping::line>,
     kMemoryGroupings},
    {"memory_devices", "each device's peak, and what its allocator held and did not use",
     memory_devices_table},
    {"memory_steps", "memory held by each step, and what came and went in it", memory_steps_table},
    {"memory_curve", "memory over time", memory_curve_table},
    {"memory_growth", "lines that hold more memory step after step", memory_growth_table},
    {"input", "waits for batches, and the workers that make them", input_table},
    {"compile", "compilations, recompilations and graph breaks", compile_table},
    {"settings", "how the program set its framework up", settings_table},
    {"values", "numbers recorded over time", values_table},
    {"losses", "what was dropped, cut or estimated", losses_table},
};

}  // namespace

std::span<const TableDefinition> all_tables() { return kTables; }

Result<const TableDefinition*> find_table(std::string_view name,
                                          std::span<const TableDefinition> among) {
  std::string names;
  for (const TableDefinition& table : among) {
    if (name == table.name) return &table;
    names += (names.empty() ? "" : ", ") + std::string(table.name);
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
