#include "tables/memory/memory.h"

#include <algorithm>
#include <map>

#include "tables/code/line_cells.h"
#include "tables/memory/memory_labels.h"
#include "tables/ops/common_id.h"
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
      return {category, lines[block.place]};
    case MemoryGrouping::category:
      return {category, 0};
    case MemoryGrouping::op:
      return {block.op, 0};
    case MemoryGrouping::module:
      return {run.places[block.place].module, 0};
  }
  return {};
}

std::vector<RowSums> sum_rows(MemoryGrouping grouping, const MemoryPeak& peak, const Run& run,
                              const LineIds& lines) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, RowSums> sums;
  for (const PeakBlock& block : peak.blocks) {
    RowSums& row = sums[key_of(grouping, block, run, lines)];
    row.category.add(static_cast<std::uint32_t>(block.category) + 1);
    row.line.add(lines[block.place]);
    row.module.add(run.places[block.place].module);
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

Cell text_cell(const Run& run, std::uint32_t string) {
  return string == 0 ? kUnknown : Cell(std::string(run.strings[string]));
}

Cell category_cell(std::uint32_t from_one) {
  return from_one == 0 ? kUnknown : Cell(category_name(static_cast<MemoryCategory>(from_one - 1)));
}

// The collector counts the times that it began among blocks that it does not know.
bool may_miss_blocks(const Run& run) {
  return std::any_of(run.losses.begin(), run.losses.end(),
                     [](const LossCount& loss) { return loss.name == "memory_from_before"; });
}

Table make_table(const Analysis& analysis, MemoryGrouping grouping) {
  const Run& run = analysis.run();
  Table table{"memory",
              "Memory at the peak" + from_recorded_steps(analysis.steps()),
              {{"category", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"module", ColumnType::text},
               {"op", ColumnType::text},
               {"bytes", ColumnType::integer, Unit::bytes},
               {"share", ColumnType::real, Unit::share},
               {"blocks", ColumnType::integer, Unit::count},
               {"device", ColumnType::text}},
              {}};
  const LineIds& lines = analysis.lines();
  for (const MemoryPeak& peak : analysis.memory_peaks()) {
    const Cell device = device_label(run, peak.process, peak.device);
    for (const RowSums& row : sum_rows(grouping, peak, run, lines))
      table.rows.push_back(
          {category_cell(row.category.id()), file_cell(lines, row.line.id()),
           line_cell(lines, row.line.id()), text_cell(run, row.module.id()),
           text_cell(run, row.op.id()), integer_cell(row.bytes),
           ratio_cell(static_cast<double>(row.bytes), static_cast<double>(peak.bytes)),
           integer_cell(row.blocks), device});
  }
  if (!table.rows.empty() && may_miss_blocks(run))
    table.rows.push_back({"unknown", kUnknown, kUnknown, kUnknown, kUnknown, kUnknown, kUnknown,
                          kUnknown, kUnknown});
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

}  // namespace laptime
