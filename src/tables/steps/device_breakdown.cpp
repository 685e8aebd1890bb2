#include "tables/steps/device_breakdown.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/percentile.h"
#include "tables/steps/host_columns.h"
#include "trace/analysis.h"
#include "trace/time/device_mean.h"

namespace laptime {

namespace {

const char* category_name(DeviceCategory category) {
  switch (category) {
    case DeviceCategory::compute:
      return "compute";
    case DeviceCategory::communication:
      return "communication";
    case DeviceCategory::copies:
      return "copies";
    case DeviceCategory::idle_input:
      return "idle: input";
    case DeviceCategory::idle_sync:
      return "idle: sync";
    case DeviceCategory::idle_launches:
      return "idle: launches";
    case DeviceCategory::idle_other:
      return "idle: other";
  }
  return "";
}

void add_rows(const Run& run, const std::string& view, const DeviceStepList& steps,
              const DeviceMean& mean, std::vector<BreakdownRow>& rows) {
  const std::string_view phase = run.strings[steps.front()->step.phase];
  for (std::size_t category = 0; category < kDeviceCategories; ++category) {
    const double exposed = mean.exposed[category], overlapped = mean.overlapped[category];
    if (exposed == 0 && overlapped == 0) continue;
    std::vector<std::int64_t> times;
    for (const DeviceStep* step : steps) times.push_back(step->exposed[category]);
    BreakdownRow row{view,        category_name(static_cast<DeviceCategory>(category)),
                     exposed,     mean.wall_ns,
                     overlapped,  phase,
                     steps.size()};
    for (std::size_t i = 0; i < row.spread.size(); ++i)
      row.spread[i] = take_percentile(times, kSpread[i]);
    rows.push_back(std::move(row));
  }
  if (mean.undivided_ns > 0)
    rows.push_back({view, kUndivided, mean.undivided_ns, mean.wall_ns, std::nullopt, phase});
}
// The steps of one phase in which a device's work is known, and their processes.
struct DeviceView {
  DeviceStepList steps;
  std::set<std::uint32_t> processes;
};

// All counted steps of the phase in these processes, recorded or not.
HostSteps steps_of(const Analysis& analysis, std::uint32_t phase,
                   const std::set<std::uint32_t>& processes) {
  HostSteps steps;
  for (const HostStep& s : analysis.host_steps())
    if (s.step.counts && s.step.phase == phase &&
        processes.contains(analysis.run().tracks[s.step.track].process))
      steps.push_back(&s);
  return steps;
}

}  // namespace

std::vector<BreakdownRow> device_rows(const Analysis& analysis) {
  std::vector<BreakdownRow> rows;
  const Run& run = analysis.run();
  std::map<std::pair<std::uint32_t, std::uint32_t>, DeviceView> views;  // by device and phase
  std::set<std::uint32_t> devices;
  for (const DeviceStep& step : analysis.device_steps().all) {
    if (!step.step.counts) continue;
    DeviceView& view = views[{step.device, step.step.phase}];
    view.steps.push_back(&step);
    view.processes.insert(run.tracks[step.step.track].process);
    devices.insert(step.device);
  }
  for (const auto& [key, view] : views) {
    const std::string name = devices.size() == 1 ? "device" : "device " + std::to_string(key.first);
    add_rows(run, name, view.steps,
             mean_device_step(view.steps, steps_of(analysis, key.second, view.processes)), rows);
  }
  return rows;
}

}  // namespace laptime
