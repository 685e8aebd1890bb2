#include "analyze/streams.h"

#include <algorithm>

#include "analyze/gpu_work.h"
#include "analyze/recorded_part.h"
#include "analyze/steps.h"
#include "analyze/stretches.h"

namespace laptime {

namespace {

std::int64_t length_within(const Stretches& stretches, std::int64_t start, std::int64_t end) {
  std::int64_t ns = 0;
  for (const Stretch& part : stretches.parts()) ns += std::max<std::int64_t>(0, std::min(part.end, end) - std::max(part.start, start));
  return ns;
}

}  // namespace

Table streams_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"streams",
              "GPU streams" + from_recorded(analysis),
              {{"device", ColumnType::integer},
               {"stream", ColumnType::integer},
               {"pid", ColumnType::integer},
               {"kernels", ColumnType::integer, Unit::count},
               {"copies", ColumnType::integer, Unit::count},
               {"busy_ns", ColumnType::integer, Unit::ns},
               {"busy_share", ColumnType::real, Unit::share},
               {"first_ns", ColumnType::integer, Unit::ns},
               {"last_ns", ColumnType::integer, Unit::ns}},
              {}};
  const std::vector<Stretches> rested = find_rested_steps(run, analysis.steps());
  for (const Track& track : run.tracks) {
    if (!is_stream(track)) continue;
    std::uint64_t kernels = 0, copies = 0;
    std::vector<Stretch> work;
    for (std::size_t row = 0; row < track.spans.size(); ++row) {
      const SpanKind kind = track.spans.kind[row];
      if (!is_gpu_work(kind)) continue;
      ++(kind == SpanKind::copy || kind == SpanKind::fill ? copies : kernels);
      work.push_back({track.spans.start[row], track.spans.end(row)});
    }
    if (work.empty()) continue;
    const Stretches busy(std::move(work));
    const std::int64_t first = busy.parts().front().start, last = busy.parts().back().end, busy_ns = length_within(busy, first, last);
    const std::int64_t recorded_ns = last - first - length_within(rested[track.process], first, last);
    table.rows.push_back({integer_cell(device_of(track)), integer_cell(stream_of(track)), integer_cell(run.processes[track.process].pid), integer_cell(kernels),
                          integer_cell(copies), busy_ns, ratio_cell(static_cast<double>(busy_ns), static_cast<double>(std::max(recorded_ns, busy_ns))), first, last});
  }
  return table;
}

}  // namespace laptime
