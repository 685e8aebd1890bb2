#include "tables/gpu/streams.h"

#include <algorithm>
#include <map>

#include "trace/analysis.h"
#include "trace/gpu/gpu_work.h"
#include "trace/run/intervals.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

struct StreamWork {
  std::uint64_t kernels = 0, copies = 0;
  std::vector<Interval> busy;
};

struct StreamRow {
  const Run& run;
  const Track& track;
  const StreamWork& work;
  std::int64_t busy_ns, recorded_ns, first_ns, last_ns;
};

constexpr ColumnOf<StreamRow> kStreamColumns[] = {
    {"device", "The GPU.", [](auto& r) { return device_of(r.track); }},
    {"stream", "The stream.", [](auto& r) { return stream_of(r.track); }},
    {"pid", "The process.", [](auto& r) { return r.run.processes[r.track.process].pid; }},
    {"kernels", Unit::count, "How many kernels ran on it.", [](auto& r) { return r.work.kernels; }},
    {"copies", Unit::count, "How many copies and fills.", [](auto& r) { return r.work.copies; }},
    {"busy_ns", Unit::ns, "How long it worked; overlapping work counts once.",
     [](auto& r) { return r.busy_ns; }},
    {"busy_share", Unit::share,
     "The part of the recorded time between its first and last work in which it worked.",
     [](auto& r) { return ratio(r.busy_ns, r.recorded_ns); }},
    {"first_ns", Unit::ns, "When its first work began.", [](auto& r) { return r.first_ns; }},
    {"last_ns", Unit::ns, "When its last work ended.", [](auto& r) { return r.last_ns; }}};
constexpr TableOf<StreamRow> kStreams{"streams", kStreamColumns};

}  // namespace

Table streams_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::map<std::uint32_t, StreamWork> streams;  // by track
  for (const GpuWork& work : analysis.gpu().all()) {
    const SpanColumns& spans = run.tracks[work.track].spans;
    const SpanKind kind = spans.kind[work.row];
    StreamWork& stream = streams[work.track];
    ++(kind == SpanKind::copy || kind == SpanKind::fill ? stream.copies : stream.kernels);
    stream.busy.push_back({spans.start[work.row], spans.end(work.row)});
  }
  Table table = kStreams.empty("GPU streams" + from_recorded(analysis.run(), analysis.steps()));
  const std::vector<Intervals> left_out = find_left_out_of_gpu(run, analysis.steps());
  for (auto& [number, stream] : streams) {
    const Track& track = run.tracks[number];
    const Intervals busy(std::move(stream.busy));
    if (busy.empty()) continue;
    const std::int64_t first = busy.parts().front().start, last = busy.parts().back().end,
                       busy_ns = busy.within(first, last);
    // Work launched by a recorded step or interval may continue while recording rests.
    const std::int64_t recorded_ns =
        std::max(busy_ns, last - first - left_out[track.process].within(first, last));
    kStreams.add(table, {run, track, stream, busy_ns, recorded_ns, first, last});
  }
  return table;
}

constinit const TableDefinition kStreamsTable =
    define_table<kStreams>("what each stream of each GPU did", "", streams_table);

}  // namespace laptime
