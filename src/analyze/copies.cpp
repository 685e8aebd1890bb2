#include "analyze/copies.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/copy_name.h"
#include "analyze/gpu_work.h"
#include "analyze/line_ids.h"
#include "analyze/recorded_part.h"
#include "analyze/steps.h"

namespace laptime {

namespace {

struct CopySums {
  std::uint64_t calls = 0, bytes = 0;
  std::int64_t total_ns = 0, wait_ns = 0;
  bool wait_known = false;
};

}  // namespace

Table copies_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"copies",
              "Copies" + from_recorded(analysis),
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
               {"op", ColumnType::text}},
              {}};
  const LineIds& lines = analysis.lines();
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, CopySums> all;  // name, line, op
  for (const GpuWork& work : analysis.gpu().all()) {
    const SpanColumns& spans = run.tracks[work.track].spans;
    if (spans.kind[work.row] != SpanKind::copy && spans.kind[work.row] != SpanKind::fill) continue;
    CopySums& sums = all[{spans.name[work.row], lines[work.place], work.op}];
    ++sums.calls;
    sums.bytes += work.bytes;
    sums.total_ns += spans.duration[work.row];
    if (!work.launch || !CopyName(run.strings[spans.name[work.row]]).waits()) continue;
    sums.wait_known = true;
    sums.wait_ns += work.launch->end_ns - work.launch->start_ns;
  }
  for (const auto& [key, sums] : all) {
    const auto& [name_id, line, op] = key;
    const CopyName name(run.strings[name_id]);
    table.rows.push_back({std::string(name.direction), name.memory.empty() ? kUnknown : Cell(std::string(name.memory)), lines.file_cell(line), lines.line_cell(line),
                          integer_cell(sums.calls), integer_cell(sums.bytes), sums.total_ns,
                          ratio_cell(static_cast<double>(sums.bytes), static_cast<double>(sums.total_ns)), sums.wait_known ? Cell(sums.wait_ns) : kUnknown,
                          name.blocks ? "yes" : "no", op ? Cell(std::string(run.strings[op])) : kUnknown});
  }
  (void)sort_by(table, "total_ns");
  return table;
}

}  // namespace laptime
