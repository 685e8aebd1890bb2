#include "analyze/device_breakdown.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/host_time.h"
#include "analyze/percentile.h"
#include "analyze/typical.h"

namespace laptime {

namespace {

const char* category_name(DeviceCategory category) {
  switch (category) {
    case DeviceCategory::compute: return "compute";
    case DeviceCategory::communication: return "communication";
    case DeviceCategory::copies: return "copies";
    case DeviceCategory::idle_input: return "idle: input";
    case DeviceCategory::idle_sync: return "idle: sync";
    case DeviceCategory::idle_launches: return "idle: launches";
    case DeviceCategory::idle_other: return "idle: other";
  }
  return "";
}

using Steps = std::vector<const DeviceStep*>;

// `wall`: of a mean step.
void add_rows(const Run& run, const std::string& view, const Steps& steps, double wall, Table& table) {
  const auto count = static_cast<double>(steps.size());
  const DeviceScale scale(steps, wall);
  for (std::size_t category = 0; category < kDeviceCategories; ++category) {
    double exposed = 0, overlapped = 0;
    std::vector<std::int64_t> times;
    for (const DeviceStep* step : steps) {
      times.push_back(step->exposed[category]);
      exposed += static_cast<double>(step->exposed[category]) / count;
      overlapped += static_cast<double>(step->overlapped[category]) / count;
    }
    if (exposed == 0 && overlapped == 0) continue;
    exposed *= scale.of(static_cast<DeviceCategory>(category));
    Row row{view, category_name(static_cast<DeviceCategory>(category)), exposed, ratio_cell(exposed, wall), exposed, overlapped,
            std::string(run.strings[steps.front()->step.phase]), integer_cell(steps.size())};
    for (const double share : kSpread) row.push_back(take_percentile(times, share));
    table.rows.push_back(std::move(row));
  }
}

// The steps of one phase that a device is known in, and the processes that they are of.
struct DeviceView {
  Steps steps;
  std::set<std::uint32_t> processes;
};

// Of all steps of the phase in these processes, whether recorded or not, as the host's view has it.
double mean_step_ns(const Analysis& analysis, std::uint32_t phase, const std::set<std::uint32_t>& processes) {
  std::vector<const HostStep*> steps;
  for (const HostStep& s : analysis.host_steps())
    if (s.step.phase == phase && processes.contains(analysis.run().tracks[s.step.track].process)) steps.push_back(&s);
  return mean_wall_ns(typical_steps(steps));
}

}  // namespace

DeviceScale::DeviceScale(const Steps& steps, double wall_ns) {
  double busy = 0;
  for (const DeviceStep* step : steps)
    for (const DeviceCategory category : {DeviceCategory::compute, DeviceCategory::communication, DeviceCategory::copies})
      busy += static_cast<double>(step->exposed[index(category)]) / static_cast<double>(steps.size());
  const double recorded = mean_wall_ns(steps), idles = recorded - busy;
  if (recorded < wall_ns) {
    work = idle = wall_ns / recorded;
    return;
  }
  work = busy > wall_ns ? wall_ns / busy : 1;
  idle = idles > 0 ? std::max(0.0, wall_ns - busy) / idles : 1;
}

void add_device_rows(const Analysis& analysis, Table& table) {
  const Run& run = analysis.run();
  std::map<std::pair<std::uint32_t, std::uint32_t>, DeviceView> views;  // by device and phase
  std::set<std::uint32_t> devices;
  for (const DeviceStep& step : analysis.device_steps().all) {
    DeviceView& view = views[{step.device, step.step.phase}];
    view.steps.push_back(&step);
    view.processes.insert(run.tracks[step.step.track].process);
    devices.insert(step.device);
  }
  for (const auto& [key, view] : views)
    add_rows(run, devices.size() == 1 ? "device" : "device " + std::to_string(key.first), typical_steps(view.steps), mean_step_ns(analysis, key.second, view.processes), table);
}

}  // namespace laptime
