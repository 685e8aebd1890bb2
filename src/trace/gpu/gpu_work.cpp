#include "trace/gpu/gpu_work.h"

#include <algorithm>

#include "trace/steps/recorded_part.h"

namespace laptime {

bool is_stream(const Track& track) { return track.kind == TrackKind::stream; }

GpuWorkload::GpuWorkload(const Run& run, const std::vector<Step>& steps, const OpAttribution& ops) {
  if (std::none_of(run.tracks.begin(), run.tracks.end(), is_stream)) return;
  std::vector<std::vector<std::uint32_t>> tracks(run.processes.size());
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) tracks[run.tracks[t].process].push_back(t);
  for (const std::vector<std::uint32_t>& of_process : tracks)
    launches_.emplace_back(run, ops, of_process);
  const std::vector<Intervals> left_out = find_left_out_of_gpu(run, steps);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t)
    if (is_stream(run.tracks[t])) add_track(run, t, left_out[run.tracks[t].process]);
}

void GpuWorkload::add_track(const Run& run, std::uint32_t track, const Intervals& left_out) {
  const Spans& spans = run.tracks[track].spans;
  const Launches& launches = launches_[run.tracks[track].process];
  auto call_sites = spans.call_site.cursor();
  auto bytes = spans.bytes.cursor(), graph_nodes = spans.graph_node.cursor();
  auto configs = spans.launch_config.cursor();
  auto copies = spans.copy.cursor();
  Intervals::Cursor leaving_out(left_out);
  for (std::uint32_t row = 0; row < spans.size(); ++row) {
    if (!is_gpu_work(spans.kind[row])) continue;
    GpuWork work{track, row};
    const std::uint64_t link = spans.link.empty() ? 0 : spans.link[row];
    work.launch = launches.find(link, spans.start[row]);
    if (leaving_out.contains(work.launch ? work.launch->start_ns : spans.start[row])) continue;
    before_launch_ += !work.launch && launches.has(link);
    if (work.launch)
      work.op = work.launch->op, work.call_site = work.launch->call_site,
      work.pass = work.launch->pass;
    if (const std::uint64_t* const node = graph_nodes.find(row)) {
      work.in_graph = true;
      if (const Launch* const captured = launches.find_graph_node(*node);
          captured && captured->call_site != 0)
        work.op = captured->op, work.call_site = captured->call_site, work.pass = captured->pass;
    }
    work.call_site = call_sites.value_or(row, work.call_site);
    work.launch_config = configs.value_or(row, 0);
    work.bytes = bytes.value_or(row, 0);
    work.copy = copies.value_or(row, {});
    work.waits = !work.in_graph && spans.kind[row] == SpanKind::copy && work.copy.waits();
    work_.push_back(work);
  }
}

std::vector<std::uint64_t> gpu_ns_by_call_site(const Run& run, const GpuWorkload& gpu) {
  std::vector<std::uint64_t> sums(gpu.all().empty() ? 0 : run.call_sites.size());
  for (const GpuWork& work : gpu.all())
    sums[work.call_site] +=
        static_cast<std::uint64_t>(run.tracks[work.track].spans.duration[work.row]);
  return sums;
}

}  // namespace laptime
