#include "tables/gpu/copies.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tables/code/line_cells.h"
#include "tables/ops/agreed.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/gpu_work.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

struct CopySums {
  SpanKind kind = SpanKind::copy;
  CopyInfo copy;
  std::uint64_t calls = 0, bytes = 0;
  std::int64_t total_ns = 0, wait_ns = 0;
  bool waits = false, wait_known = false;
  Agreed<std::int64_t> device;
};

// A copy whose direction nobody recorded has its name only.
std::string kind_text(SpanKind kind, const CopyInfo& copy, std::string_view name) {
  if (kind == SpanKind::fill && copy.target != MemoryKind::unknown) return "Memset";
  return std::string(copy.direction != CopyDirection::unknown ? name_of(copy.direction) : name);
}

Cell memory_cell(SpanKind kind, const CopyInfo& copy) {
  if (copy.source == MemoryKind::unknown && copy.target == MemoryKind::unknown) return kUnknown;
  const std::string target(name_of(copy.target));
  return kind == SpanKind::fill ? target : std::string(name_of(copy.source)) + " -> " + target;
}

}  // namespace

template <CopyGrouping grouping>
Table copies_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"copies",
              "Copies" + from_recorded(analysis.run(), analysis.steps()),
              {{"kind", ColumnType::text},
               {"memory", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"calls", ColumnType::integer, Unit::count},
               {"bytes", ColumnType::integer, Unit::bytes},
               {"total_ns", ColumnType::integer, Unit::ns},
               {"gb_per_s", ColumnType::real},
               {"wait_ns", ColumnType::integer, Unit::ns},
               {"blocking", ColumnType::text},
               {"op", ColumnType::text},
               {"device", ColumnType::integer, Unit::none,
                grouping == CopyGrouping::device ? Prominence::prominent : Prominence::detail}},
              {}};
  const LineIds& lines = analysis.lines();
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, CopySums>
      all;  // name, line, op, group
  for (const GpuWork& work : analysis.gpu().all()) {
    const SpanColumns& spans = run.tracks[work.track].spans;
    if (spans.kind[work.row] != SpanKind::copy && spans.kind[work.row] != SpanKind::fill) continue;
    const std::uint32_t device = device_of(run.tracks[work.track]);
    CopySums& sums = all[{spans.name[work.row], lines[work.place], work.op,
                          grouping == CopyGrouping::device ? device : 0}];
    sums.kind = spans.kind[work.row];
    sums.copy = work.copy;
    ++sums.calls;
    sums.device.add(device);
    sums.bytes += work.bytes;
    sums.total_ns += spans.duration[work.row];
    if (!work.waits) continue;
    sums.waits = true;
    if (!work.launch) continue;
    sums.wait_known = true;
    sums.wait_ns += work.launch->end_ns - work.launch->start_ns;
  }
  for (const auto& [key, sums] : all) {
    const auto& [name_id, line, op, group] = key;
    const std::int64_t device = sums.device.value_or(-1);
    table.rows.push_back(
        {kind_text(sums.kind, sums.copy, run.strings[name_id]), memory_cell(sums.kind, sums.copy),
         file_cell(lines, line), line_cell(lines, line), integer_cell(sums.calls),
         integer_cell(sums.bytes), sums.total_ns,
         ratio_cell(static_cast<double>(sums.bytes), static_cast<double>(sums.total_ns)),
         sums.wait_known ? Cell(sums.wait_ns) : kUnknown, sums.waits ? "yes" : "no",
         op ? Cell(std::string(run.strings[op])) : kUnknown,
         device >= 0 ? Cell(device) : kUnknown});
  }
  (void)sort_by(table, "total_ns");
  return table;
}
template Table copies_table<CopyGrouping::line>(const Analysis&);
template Table copies_table<CopyGrouping::device>(const Analysis&);

}  // namespace laptime
