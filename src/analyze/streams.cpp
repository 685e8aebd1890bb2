#include "analyze/streams.h"

#include <algorithm>

#include "analyze/gpu_work.h"
#include "analyze/steps.h"
#include "analyze/stretches.h"

namespace laptime {

Table streams_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"streams",
              "GPU streams" + from_recorded_steps(analysis.steps()),
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
    const std::int64_t first = busy.parts().front().start, last = busy.parts().back().end, busy_ns = busy.within(first, last);
    // What a recorded step launched may run on while the next one rests.
    const std::int64_t recorded_ns = std::max(busy_ns, last - first - rested[track.process].within(first, last));
    table.rows.push_back({integer_cell(device_of(track)), integer_cell(stream_of(track)), integer_cell(run.processes[track.process].pid), integer_cell(kernels),
                          integer_cell(copies), busy_ns, ratio_cell(static_cast<double>(busy_ns), static_cast<double>(recorded_ns)), first, last});
  }
  return table;
}

}  // namespace laptime
