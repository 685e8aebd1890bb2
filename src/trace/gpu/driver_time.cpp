#include "trace/gpu/driver_time.h"

namespace laptime {

namespace {

// By process and launch: whether the launch is a blocking copy's call.
std::vector<std::vector<bool>> find_waiting_calls(const Run& run, const GpuWorkload& gpu) {
  std::vector<std::vector<bool>> waits;
  for (const Launches& launches : gpu.launches()) waits.emplace_back(launches.all().size());
  for (const GpuWork& work : gpu.all()) {
    if (!work.launch || !work.waits) continue;
    const std::uint32_t process = run.tracks[work.track].process;
    waits[process][static_cast<std::size_t>(work.launch - gpu.launches()[process].all().data())] =
        true;
  }
  return waits;
}

}  // namespace

std::vector<std::vector<DriverCallTime>> find_driver_times(const Run& run, const GpuWorkload& gpu) {
  std::vector<std::vector<DriverCallTime>> times(run.tracks.size());
  if (gpu.all().empty()) return times;
  const std::vector<std::vector<bool>> waits = find_waiting_calls(run, gpu);
  for (std::size_t process = 0; process < waits.size(); ++process) {
    const std::vector<Launch>& launches = gpu.launches()[process].all();
    for (std::size_t i = 0; i < launches.size(); ++i)
      times[launches[i].track].push_back(
          {launches[i].start_ns, launches[i].end_ns,
           waits[process][i] ? DriverWork::copy_wait : DriverWork::launch,
           launches[i].pass == OpPass::backward});
  }
  for (std::size_t t = 0; t < run.tracks.size(); ++t) {
    const SpanColumns& spans = run.tracks[t].spans;
    for (std::size_t row = 0; row < spans.size(); ++row)
      if (spans.kind[row] == SpanKind::sync)
        times[t].push_back({spans.start[row], spans.end(row), DriverWork::sync_wait, false});
  }
  return times;
}

}  // namespace laptime
