#include "tables/gpu/streams.h"

#include <algorithm>
#include <map>

#include "trace/analysis.h"
#include "trace/gpu/gpu_work.h"
#include "trace/run/stretches.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

struct StreamWork {
  std::uint64_t kernels = 0, copies = 0;
  std::vector<Stretch> busy;
};

}  // namespace

Table streams_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"streams",
              "GPU streams" + from_recorded(analysis.run(), analysis.steps()),
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
  std::map<std::uint32_t, StreamWork> streams;  // by track
  for (const GpuWork& work : analysis.gpu().all()) {
    const SpanColumns& spans = run.tracks[work.track].spans;
    const SpanKind kind = spans.kind[work.row];
    StreamWork& stream = streams[work.track];
    ++(kind == SpanKind::copy || kind == SpanKind::fill ? stream.copies : stream.kernels);
    stream.busy.push_back({spans.start[work.row], spans.end(work.row)});
  }
  const std::vector<Stretches> left_out = find_left_out_of_gpu(run, analysis.steps());
  for (auto& [number, stream] : streams) {
    const Track& track = run.tracks[number];
    const Stretches busy(std::move(stream.busy));
    if (busy.empty()) continue;
    const std::int64_t first = busy.parts().front().start, last = busy.parts().back().end,
                       busy_ns = busy.within(first, last);
    // What a recorded step or stretch launched may run on while the next one rests.
    const std::int64_t recorded_ns =
        std::max(busy_ns, last - first - left_out[track.process].within(first, last));
    table.rows.push_back(
        {integer_cell(device_of(track)), integer_cell(stream_of(track)),
         integer_cell(run.processes[track.process].pid), integer_cell(stream.kernels),
         integer_cell(stream.copies), busy_ns,
         ratio_cell(static_cast<double>(busy_ns), static_cast<double>(recorded_ns)), first, last});
  }
  return table;
}

}  // namespace laptime
