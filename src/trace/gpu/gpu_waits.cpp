#include "trace/gpu/gpu_waits.h"

#include <algorithm>

#include "trace/code/span_call_site.h"
#include "trace/gpu/gpu_work.h"
#include "trace/ops/ops_around.h"
#include "trace/steps/recorded_part.h"

namespace laptime {

namespace {

std::vector<GpuWait> find_syncs(const Run& run, std::uint32_t track, const TrackOps& ops) {
  std::vector<GpuWait> found;
  const Spans& spans = run.tracks[track].spans;
  if (std::find(spans.kind.begin(), spans.kind.end(), SpanKind::sync) == spans.kind.end())
    return found;
  const OpsAround ops_around(run, track, ops);
  for (std::uint32_t row = 0; row < spans.size(); ++row) {
    if (spans.kind[row] != SpanKind::sync) continue;
    const std::uint32_t own = recorded_call_site(spans, row);
    const OpAround around = ops_around.at(spans.start[row], own != 0);
    found.push_back({spans.start[row], spans.end(row), track, row, around.op,
                     around.call_site ? around.call_site : own});
  }
  return found;
}

// Contract: `earlier` and `later` are consecutive waits of one thread.
bool goes_on(const GpuWait& earlier, const GpuWait& later,
             const std::vector<std::int64_t>& launches) {
  if (earlier.call_site != later.call_site || later.call_site == 0) return false;
  const auto next = std::lower_bound(launches.begin(), launches.end(), earlier.end_ns);
  return next == launches.end() || *next > later.start_ns;  // a blocking copy is itself a launch
}

// The begins of launches, in order.
std::vector<std::int64_t> launches_of(const SpanColumns& spans) {
  std::vector<std::int64_t> starts;
  for (std::uint32_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::launch) starts.push_back(spans.start[row]);
  std::sort(starts.begin(), starts.end());
  return starts;
}

// Appends the waits of one thread that lie in no other wait, the last one first.
void add_outermost(std::vector<GpuWait> waits, const std::vector<std::int64_t>& launches,
                   Intervals::Cursor leaving_out, std::vector<GpuWait>& all) {
  const std::size_t first = all.size();
  std::sort(waits.begin(), waits.end(), [](const GpuWait& a, const GpuWait& b) {
    return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.start_ns < b.start_ns;
  });
  std::int64_t covered_from = INT64_MAX;
  for (const GpuWait& wait : waits) {
    if (wait.start_ns >= covered_from || leaving_out.contains(wait.start_ns)) continue;
    covered_from = wait.start_ns;
    if (all.size() > first) all.back().goes_on = goes_on(wait, all.back(), launches);
    all.push_back(wait);
  }
}

}  // namespace

std::vector<GpuWait> find_gpu_waits(const Run& run, const std::vector<Step>& steps,
                                    const OpAttribution& ops, const GpuWorkload& gpu) {
  std::vector<std::vector<GpuWait>> by_track(run.tracks.size());
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t)
    if (run.tracks[t].kind == TrackKind::thread) by_track[t] = find_syncs(run, t, ops.tracks[t]);
  for (const GpuWork& work : gpu.all())
    if (const Launch* const call = work.launch; call && work.waits && work.copy.is_from_gpu())
      by_track[call->track].push_back(
          {call->start_ns, call->end_ns, call->track, call->row, call->op, call->call_site});
  const std::vector<Intervals> left_out = find_left_out_of_gpu(run, steps);
  std::vector<GpuWait> all;
  for (std::size_t t = 0; t < by_track.size(); ++t)
    if (!by_track[t].empty())
      add_outermost(std::move(by_track[t]), launches_of(run.tracks[t].spans),
                    Intervals::Cursor(left_out[run.tracks[t].process]), all);
  return all;
}

}  // namespace laptime
