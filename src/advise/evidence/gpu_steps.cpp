#include "advise/evidence/gpu_steps.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tables/code/line_columns.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/gpu/gpu_waits.h"
#include "trace/gpu/gpu_work.h"
#include "trace/run/intervals.h"

namespace laptime {

namespace {

Intervals intervals_of(const std::vector<DeviceStep>& steps) {
  std::vector<Interval> parts;
  for (const DeviceStep& s : steps)
    parts.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  return Intervals(std::move(parts));
}

std::string file_of(const LineIds& lines, std::uint32_t id) {
  return std::string(file_at(lines, id).value_or(""));
}

}  // namespace

GpuSteps::GpuSteps(const Analysis& analysis, const MainPhase& main_phase) {
  choose_device(analysis, main_phase);
  if (steps_.empty()) return;
  gather_work(analysis);
  gather_syncs(analysis);
}

void GpuSteps::choose_device(const Analysis& analysis, const MainPhase& main_phase) {
  std::map<std::uint32_t, std::int64_t> compute;
  for (const DeviceStep& s : analysis.device_steps().all)
    if (main_phase.has(s.step)) compute[s.device] += s.exposed[index(DeviceCategory::compute)];
  if (compute.empty()) return;
  const auto most =
      std::max_element(compute.begin(), compute.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const DeviceStep& s : analysis.device_steps().all)
    if (main_phase.has(s.step) && s.device == most->first) steps_.push_back(s);
  DeviceStepList recorded;
  for (const DeviceStep& s : steps_) recorded.push_back(&s);
  HostSteps all;
  for (const HostStep& s : main_phase.steps()) all.push_back(&s);
  mean_ = mean_device_step(recorded, all);
}

void GpuSteps::gather_work(const Analysis& analysis) {
  const Run& run = analysis.run();
  const Intervals in_steps = intervals_of(steps_);
  const std::uint32_t process = run.tracks[steps_.front().step.track].process,
                      device = steps_.front().device;
  std::map<std::tuple<SpanKind, std::uint32_t, std::uint32_t, std::uint32_t>, StepWork>
      all;  // kind, name, op, line
  const auto steps = static_cast<double>(steps_.size());
  for (const GpuWork& work : analysis.gpu().all()) {
    const Track& track = run.tracks[work.track];
    const SpanColumns& spans = track.spans;
    if (track.process != process || device_of(track) != device ||
        !in_steps.overlaps(spans.start[work.row], spans.start[work.row] + 1))
      continue;
    const std::uint32_t line = analysis.lines()[work.call_site];
    StepWork& sums = all[{spans.kind[work.row], spans.name[work.row], work.op, line}];
    if (sums.calls == 0)
      sums = {spans.kind[work.row],
              std::string(run.strings[spans.name[work.row]]),
              std::string(run.strings[work.op]),
              work.copy,
              file_of(analysis.lines(), line),
              line ? analysis.lines().line(line) : 0};
    ++sums.calls;
    sums.ns += static_cast<double>(spans.duration[work.row]);
    sums.bytes += static_cast<double>(work.bytes);
    sums.waits |= work.waits;
    if (work.launch && !work.in_graph)
      sums.host_ns += static_cast<double>(work.launch->end_ns - work.launch->start_ns);
  }
  for (auto& [key, sums] : all) {
    for (double* sum : {&sums.calls, &sums.ns, &sums.bytes, &sums.host_ns}) *sum /= steps;
    work_.push_back(std::move(sums));
  }
}

// Waits of all threads: the idle time after them is known only for the whole process.
void GpuSteps::gather_syncs(const Analysis& analysis) {
  const Run& run = analysis.run();
  const Intervals in_steps = intervals_of(steps_);
  const std::uint32_t process = run.tracks[steps_.front().step.track].process;
  std::map<std::uint32_t, StepSync> all;  // by line
  const auto steps = static_cast<double>(steps_.size());
  for (const GpuWait& wait : analysis.gpu_waits()) {
    if (run.tracks[wait.track].process != process ||
        !in_steps.overlaps(wait.start_ns, wait.start_ns + 1))
      continue;
    const std::uint32_t line = analysis.lines()[wait.call_site];
    StepSync& sync = all[line];
    sync.file = file_of(analysis.lines(), line);
    sync.line = line ? analysis.lines().line(line) : 0;
    sync.waits += wait.goes_on ? 0 : 1;
    sync.wait_ns += static_cast<double>(wait.end_ns - wait.start_ns);
  }
  for (auto& [line, sync] : all) {
    sync.waits /= steps;
    sync.wait_ns /= steps;
    syncs_.push_back(std::move(sync));
  }
  std::stable_sort(syncs_.begin(), syncs_.end(),
                   [](const StepSync& a, const StepSync& b) { return a.wait_ns > b.wait_ns; });
}

Part GpuSteps::part(DeviceCategory category) const {
  std::vector<double> ns;
  for (const DeviceStep& s : steps_) ns.push_back(static_cast<double>(s.exposed[index(category)]));
  return mean_part(ns).with_mean(mean_.exposed[index(category)]);
}

double GpuSteps::idle_ns() const {
  double ns = 0;
  for (const DeviceCategory category : {DeviceCategory::idle_input, DeviceCategory::idle_sync,
                                        DeviceCategory::idle_launches, DeviceCategory::idle_other})
    ns += part(category).ns;
  return ns;
}

double GpuSteps::kernel_ns() const {
  double ns = 0;
  for (const StepWork& work : work_) ns += work.kind == SpanKind::kernel ? work.ns : 0;
  return ns;
}

double GpuSteps::exposed_ns(double ns) const {
  const double all = kernel_ns();
  return all > 0 ? part(DeviceCategory::compute).ns * ns / all : 0;
}

}  // namespace laptime
