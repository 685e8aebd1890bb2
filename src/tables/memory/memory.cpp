#include "tables/memory/memory.h"

#include <algorithm>
#include <map>

#include "format/names.h"
#include "tables/code/line_columns.h"
#include "tables/memory/memory_labels.h"
#include "tables/ops/agreement.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/memory/memory_peak.h"
#include "trace/ops/attribution.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

struct RowSums {
  CommonId category, line, module, op;  // category: from 1
  std::uint64_t bytes = 0, blocks = 0;
};

std::pair<std::uint32_t, std::uint32_t> key_of(MemoryGrouping grouping, const PeakBlock& block,
                                               const Run& run, const LineIds& lines) {
  const auto category = static_cast<std::uint32_t>(block.category);
  switch (grouping) {
    case MemoryGrouping::line:
      return {category, lines[block.call_site]};
    case MemoryGrouping::category:
      return {category, 0};
    case MemoryGrouping::op:
      return {block.op, 0};
    case MemoryGrouping::module:
      return {run.call_sites[block.call_site].module, 0};
  }
  return {};
}

std::vector<RowSums> sum_rows(MemoryGrouping grouping, const MemoryPeak& peak, const Run& run,
                              const LineIds& lines) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, RowSums> sums;
  for (const PeakBlock& block : peak.blocks) {
    RowSums& row = sums[key_of(grouping, block, run, lines)];
    row.category.add(static_cast<std::uint32_t>(block.category) + 1);
    row.line.add(lines[block.call_site]);
    row.module.add(run.call_sites[block.call_site].module);
    row.op.add(block.op);
    row.bytes += block.block.bytes;
    ++row.blocks;
  }
  std::vector<RowSums> rows;
  for (const auto& [key, row] : sums) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RowSums& a, const RowSums& b) { return a.bytes > b.bytes; });
  return rows;
}

// Blocks may be alive that were allocated before recording began: the collector warned of it.
bool may_miss_blocks(const Run& run) {
  return std::any_of(run.warnings.begin(), run.warnings.end(), [](const WarningCount& warning) {
    return warning.name == warning_name::kMemoryFromBefore;
  });
}

struct PeakRow {
  const Run& run;
  const LineIds& lines;
  const MemoryPeak& peak;
  const RowSums* sums;  // null: unrecorded blocks
};

// A value of a row with known blocks.
template <typename Get>
auto of_known(const PeakRow& row, Get get) -> decltype(std::optional(get(*row.sums))) {
  if (!row.sums) return std::nullopt;
  return get(*row.sums);
}

std::optional<std::string_view> category_of(const PeakRow& row) {
  if (!row.sums) return "unknown";
  const std::uint32_t from_one = row.sums->category.id();
  if (from_one == 0) return std::nullopt;
  return category_name(static_cast<MemoryCategory>(from_one - 1));
}

constexpr ColumnOf<PeakRow> kMemoryColumns[] = {
    {"category", "What the memory is for, if all the row's blocks agree.",
     [](auto& r) { return category_of(r); }},
    {"file", "The file of the line that allocated it, if all blocks agree.",
     [](auto& r) { return r.sums ? file_at(r.lines, r.sums->line.id()) : std::nullopt; }},
    {"line", "That line.",
     [](auto& r) { return r.sums ? line_at(r.lines, r.sums->line.id()) : std::nullopt; }},
    {"module", "The module, if all blocks agree.",
     [](auto& r) { return r.sums ? string_at(r.run, r.sums->module.id()) : std::nullopt; }},
    {"op", "The outermost op, if all blocks agree.",
     [](auto& r) { return r.sums ? string_at(r.run, r.sums->op.id()) : std::nullopt; }},
    {"bytes", Unit::bytes, "How much it is.",
     [](auto& r) { return of_known(r, [](auto& sums) { return sums.bytes; }); }},
    {"share", Unit::share, "Its part of all that was alive then.",
     [](auto& r) { return r.sums ? ratio(r.sums->bytes, r.peak.bytes) : std::nullopt; }},
    {"blocks", Unit::count, "How many blocks.",
     [](auto& r) { return of_known(r, [](auto& sums) { return sums.blocks; }); }},
    {"device", "The CPU or the GPU.", [](auto& r) {
       return r.sums ? device_label(r.run, r.peak.process, r.peak.device) : std::nullopt;
     }}};
constexpr TableOf<PeakRow> kMemory{"memory", kMemoryColumns};

constexpr Grouping kMemoryGroupings[] = {{"line", memory_table<MemoryGrouping::line>},
                                         {"category", memory_table<MemoryGrouping::category>},
                                         {"op", memory_table<MemoryGrouping::op>},
                                         {"module", memory_table<MemoryGrouping::module>}};

Table make_table(const Analysis& analysis, MemoryGrouping grouping) {
  const Run& run = analysis.run();
  const LineIds& lines = analysis.lines();
  Table table = kMemory.empty("Memory at the peak" + from_recorded_steps(analysis.steps()));
  for (const MemoryPeak& peak : analysis.memory_peaks())
    for (const RowSums& sums : sum_rows(grouping, peak, run, lines))
      kMemory.add(table, {run, lines, peak, &sums});
  if (!table.rows.empty() && may_miss_blocks(run))
    kMemory.add(table, {run, lines, analysis.memory_peaks().front(), nullptr});
  return table;
}
}  // namespace

template <MemoryGrouping grouping>
Table memory_table(const Analysis& analysis) {
  return make_table(analysis, grouping);
}
template Table memory_table<MemoryGrouping::line>(const Analysis&);
template Table memory_table<MemoryGrouping::category>(const Analysis&);
template Table memory_table<MemoryGrouping::op>(const Analysis&);
template Table memory_table<MemoryGrouping::module>(const Analysis&);

constinit const TableDefinition kMemoryTable =
    define_table<kMemory>("what was alive when most memory was",
                          R"(
It needs `laptime run --memory`. The categories:

- `parameter`, `buffer`, `gradient`, `optimizer state`;
- `activation`: made in forward, and alive when backward begins;
- `input`;
- `before steps`: allocated before the first step, as a dataset in memory is;
- `temporary`: all others.

What was allocated before recording began is a row `unknown` without bytes. `--by` divides the
rows of a device: `line` (category and line, the default), `category`, `op`, `module`.)",
                          memory_table<MemoryGrouping::line>, kMemoryGroupings);

}  // namespace laptime
