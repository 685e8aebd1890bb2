#include "tables/gpu/syncs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tables/code/line_columns.h"
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

struct SyncRow {
  const Run& run;
  const LineIds& lines;
  std::uint32_t track, call, line, op;
  const SyncSums& sums;
};

constexpr ColumnOf<SyncRow> kSyncColumns[] = {
    {"call", "The driver's call, or the copy that blocks.",
     [](auto& r) { return r.run.strings[r.call]; }},
    {"file", "The file of the line that waits; the op's, in backward too.",
     [](auto& r) { return file_at(r.lines, r.line); }},
    {"line", "The line that waits.", [](auto& r) { return line_at(r.lines, r.line); }},
    {"calls", Unit::count, "How many waits.", [](auto& r) { return r.sums.calls; }},
    {"wait_ns", Unit::ns, "How long all of them took.", [](auto& r) { return r.sums.wait_ns; }},
    {"mean_ns", Unit::ns, "How long one takes.",
     [](auto& r) { return ratio(r.sums.wait_ns, r.sums.calls); }},
    {"max_ns", Unit::ns, "How long the longest took.", [](auto& r) { return r.sums.max_ns; }},
    {"thread", "The thread that waits.",
     [](auto& r) { return thread_label(r.run, r.run.tracks[r.track]); }},
    {"op", "The outermost op around the wait.", [](auto& r) { return string_at(r.run, r.op); }}};
constexpr TableOf<SyncRow> kSyncs{"syncs", kSyncColumns};

}  // namespace

Table syncs_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  const LineIds& lines = analysis.lines();
  std::map<SyncKey, SyncSums> all;
  for (const GpuWait& wait : analysis.gpu_waits()) {
    SyncSums& sums = all[{wait.track, run.tracks[wait.track].spans.name[wait.row],
                          lines[wait.call_site], wait.op}];
    const std::int64_t ns = wait.end_ns - wait.start_ns;
    ++sums.calls;
    sums.wait_ns += ns;
    sums.max_ns = std::max(sums.max_ns, ns);
  }
  Table table = kSyncs.empty("Waits for the GPU" + from_recorded(analysis.run(), analysis.steps()));
  for (const auto& [key, sums] : all) {
    const auto& [track, call, line, op] = key;
    kSyncs.add(table, {run, lines, track, call, line, op, sums});
  }
  (void)sort_by(table, "wait_ns");
  return table;
}

constinit const TableDefinition kSyncsTable =
    define_table<kSyncs>("where the host waited for a GPU",
                         R"(
Waits are calls that synchronise, and copies from the GPU that block. A wait inside another one
belongs to the outer one. The op separates these: `.item()` is `aten::item`, `.cpu()` is
`aten::to`, and `torch.cuda.synchronize()` has none.)",
                         syncs_table);

}  // namespace laptime
