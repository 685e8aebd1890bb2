#include "trace/gpu/gpu_work.h"

#include <algorithm>
#include <map>

#include "trace/gpu/copy_name.h"
#include "trace/steps/recorded_part.h"

namespace laptime {

bool is_transfer(std::string_view copy) {
  return copy.find("HtoD") != std::string_view::npos || copy.find("DtoH") != std::string_view::npos;
}

bool is_stream(const Track& track) { return track.kind == TrackKind::stream; }

GpuWorkload::GpuWorkload(const Run& run, const std::vector<Step>& steps, const OpAttribution& ops) {
  if (std::none_of(run.tracks.begin(), run.tracks.end(), is_stream)) return;
  std::vector<std::vector<std::uint32_t>> tracks(run.processes.size());
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) tracks[run.tracks[t].process].push_back(t);
  for (const std::vector<std::uint32_t>& of_process : tracks)
    launches_.emplace_back(run, ops, of_process);
  const std::vector<Stretches> left_out = find_left_out_of_gpu(run, steps);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t)
    if (is_stream(run.tracks[t])) add_track(run, t, left_out[run.tracks[t].process]);
  find_waiting_copies(run);
}

void GpuWorkload::add_track(const Run& run, std::uint32_t track, const Stretches& left_out) {
  const SpanColumns& spans = run.tracks[track].spans;
  const Launches& launches = launches_[run.tracks[track].process];
  const std::uint32_t graph_key = run.strings.find("graph_node");
  std::size_t next = 0;
  Stretches::Cursor leaving_out(left_out);
  for (std::uint32_t row = 0; row < spans.size(); ++row) {
    if (!is_gpu_work(spans.kind[row])) continue;
    GpuWork work{track, row};
    const std::uint64_t link = spans.link.empty() ? 0 : spans.link[row];
    work.launch = launches.find(link, spans.start[row]);
    if (leaving_out.contains(work.launch ? work.launch->start_ns : spans.start[row])) continue;
    before_launch_ += !work.launch && launches.has(link);
    if (work.launch)
      work.op = work.launch->op, work.place = work.launch->place, work.pass = work.launch->pass;
    while (next < spans.args.size() && spans.args.row[next] < row) ++next;
    for (; next < spans.args.size() && spans.args.row[next] == row; ++next) {
      const std::uint64_t value = spans.args.value[next];
      if (spans.args.key[next] == graph_key) {
        work.in_graph = true;
        if (const Launch* const captured = launches.find_graph_node(value);
            captured && captured->place != 0)
          work.op = captured->op, work.place = captured->place, work.pass = captured->pass;
      }
      if (spans.args.key[next] != 0) continue;
      if (spans.args.type[next] == ArgType::string) work.own = static_cast<std::uint32_t>(value);
      if (spans.args.type[next] == ArgType::integer) work.bytes = value;
      if (spans.args.type[next] == ArgType::place && value < run.places.size())
        work.place = static_cast<std::uint32_t>(value);
    }
    work_.push_back(work);
  }
}

void GpuWorkload::find_waiting_copies(const Run& run) {
  std::map<std::uint32_t, bool> names;  // by Run::strings
  for (GpuWork& work : work_) {
    const SpanColumns& spans = run.tracks[work.track].spans;
    if (work.in_graph || spans.kind[work.row] != SpanKind::copy) continue;
    const auto [name, is_new] = names.try_emplace(spans.name[work.row]);
    if (is_new) name->second = CopyName(run.strings[name->first]).waits();
    work.waits = name->second;
  }
}

std::vector<std::uint64_t> gpu_ns_by_place(const Run& run, const GpuWorkload& gpu) {
  std::vector<std::uint64_t> sums(gpu.all().empty() ? 0 : run.places.size());
  for (const GpuWork& work : gpu.all())
    sums[work.place] += static_cast<std::uint64_t>(run.tracks[work.track].spans.duration[work.row]);
  return sums;
}

}  // namespace laptime
