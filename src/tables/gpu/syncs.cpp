#include "tables/gpu/syncs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tables/code/line_cells.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/gpu_waits.h"
#include "trace/steps/recorded_part.h"

namespace laptime {

namespace {

struct SyncSums {
  std::uint64_t calls = 0;
  std::int64_t wait_ns = 0, max_ns = 0;
};
using SyncKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t,
                           std::uint32_t>;  // track, call, line, op

}  // namespace

Table syncs_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"syncs",
              "Waits for the GPU" + from_recorded(analysis.run(), analysis.steps()),
              {{"call", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"calls", ColumnType::integer, Unit::count},
               {"wait_ns", ColumnType::integer, Unit::ns},
               {"mean_ns", ColumnType::real, Unit::ns},
               {"max_ns", ColumnType::integer, Unit::ns},
               {"thread", ColumnType::text},
               {"op", ColumnType::text}},
              {}};
  const LineIds& lines = analysis.lines();
  std::map<SyncKey, SyncSums> all;
  for (const GpuWait& wait : analysis.gpu_waits()) {
    SyncSums& sums =
        all[{wait.track, run.tracks[wait.track].spans.name[wait.row], lines[wait.place], wait.op}];
    const std::int64_t ns = wait.end_ns - wait.start_ns;
    ++sums.calls;
    sums.wait_ns += ns;
    sums.max_ns = std::max(sums.max_ns, ns);
  }
  for (const auto& [key, sums] : all) {
    const auto& [track, call, line, op] = key;
    table.rows.push_back(
        {std::string(run.strings[call]), file_cell(lines, line), line_cell(lines, line),
         integer_cell(sums.calls), sums.wait_ns,
         ratio_cell(static_cast<double>(sums.wait_ns), static_cast<double>(sums.calls)),
         sums.max_ns, thread_label(run, run.tracks[track]),
         op ? Cell(std::string(run.strings[op])) : kUnknown});
  }
  (void)sort_by(table, "wait_ns");
  return table;
}

}  // namespace laptime
