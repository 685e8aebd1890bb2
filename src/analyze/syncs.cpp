#include "analyze/syncs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/line_ids.h"
#include "analyze/recorded_part.h"
#include "analyze/steps.h"
#include "analyze/thread_label.h"

namespace laptime {

namespace {

struct SyncSums {
  std::uint64_t calls = 0;
  std::int64_t wait_ns = 0, max_ns = 0;
};
using SyncKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // track, call, line

// A wait inside another (a synchronising call that the driver builds from smaller ones) is the outer one's.
void add_track(const Run& run, std::uint32_t track, const LineIds& lines, const Stretches& left_out, std::map<SyncKey, SyncSums>& all) {
  const SpanColumns& spans = run.tracks[track].spans;
  std::int64_t covered_from = INT64_MAX;
  Stretches::Cursor leaving_out(left_out);
  std::size_t next = spans.args.size();
  for (std::uint32_t row = static_cast<std::uint32_t>(spans.size()); row-- > 0;) {
    if (spans.kind[row] != SpanKind::sync) continue;
    while (next > 0 && spans.args.row[next - 1] > row) --next;
    if (spans.start[row] >= covered_from || leaving_out.contains(spans.start[row])) continue;
    covered_from = spans.start[row];
    std::uint32_t place = 0;
    for (std::size_t i = next; i > 0 && spans.args.row[i - 1] == row; --i)
      if (spans.args.key[i - 1] == 0 && spans.args.type[i - 1] == ArgType::place && spans.args.value[i - 1] < run.places.size())
        place = static_cast<std::uint32_t>(spans.args.value[i - 1]);
    SyncSums& sums = all[{track, spans.name[row], lines[place]}];
    ++sums.calls;
    sums.wait_ns += spans.duration[row];
    sums.max_ns = std::max(sums.max_ns, spans.duration[row]);
  }
}

}  // namespace

Table syncs_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"syncs",
              "Waits for the GPU" + from_recorded(analysis),
              {{"call", ColumnType::text},
               {"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"calls", ColumnType::integer, Unit::count},
               {"wait_ns", ColumnType::integer, Unit::ns},
               {"mean_ns", ColumnType::real, Unit::ns},
               {"max_ns", ColumnType::integer, Unit::ns},
               {"thread", ColumnType::text}},
              {}};
  const LineIds& lines = analysis.lines();
  std::map<SyncKey, SyncSums> all;
  const std::vector<Stretches> left_out = find_left_out_of_gpu(run, analysis.steps());
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t)
    if (run.tracks[t].kind == TrackKind::thread) add_track(run, t, lines, left_out[run.tracks[t].process], all);
  for (const auto& [key, sums] : all) {
    const auto& [track, call, line] = key;
    table.rows.push_back({std::string(run.strings[call]), lines.file_cell(line), lines.line_cell(line), integer_cell(sums.calls), sums.wait_ns,
                          ratio_cell(static_cast<double>(sums.wait_ns), static_cast<double>(sums.calls)), sums.max_ns, thread_label(run, run.tracks[track])});
  }
  (void)sort_by(table, "wait_ns");
  return table;
}

}  // namespace laptime
